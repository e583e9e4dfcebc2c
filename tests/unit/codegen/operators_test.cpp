// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "backends/codegen/family.h"
#include "backends/codegen/generated_ops.h"
#include "backends/codegen/simt_family.h"
#include "core/fusion/group.h"
#include "core/graph/graph_text.h"

namespace fuselab::codegen {
namespace {

const Target kCpuTarget{"x86-64-v3", "x86-64", {{"vector_bytes", 32}, {"cores", 2}, {"l3_bytes", 32 << 20}}};
const Target kGpuTarget{"sm_90", "cuda", {{"multiprocessors", 132}}};

// Why neither kind of target runs the graph; "" when one does.
std::string refusal(const char* text) {
  const Graph graph = parse_graph(text).value();
  const auto tasks = find_family(graph, kCpuTarget);
  const auto threads = find_simt_family(graph, kGpuTarget);
  return tasks.ok() || threads.ok() ? "" : tasks.error().message + " | " + threads.error().message;
}

TEST(GeneratedOperators, FusionKeepsApartExactlyWhatIsNotWritten) {
  for (int i = 0; i < static_cast<int>(Op::kConstant); ++i) {
    const Op op = static_cast<Op>(i);
    EXPECT_EQ(is_written_nowhere(op), !is_generated(op)) << name_of(op);
  }
}

TEST(GeneratedOperators, WhatIsNotWrittenIsRefusedByName) {
  const char* const kGraphs[][2] = {
      {"Less", "graph(x: f32[8,64], y: f32[8,64]) { v = Less(x, y); return v }"},
      {"Less", "graph(x: f32[8,64], y: f32[8,64]) { e = Exp(x); c = Less(e, y); v = Where(c, x, y); return v }"},
      {"Less", "graph(x: f32[8,64], y: f32[64,32], z: f32[8,32]) { m = MatMul(x, y); c = Less(m, z); return c }"},
      {"Sin", "graph(x: f32[8,64]) { v = Sin(x); return v }"},
      {"Mod", "graph(x: f32[8,64], y: f32[8,64]) { m = Mod(x, y, fmod=1); v = Softmax(m); return v }"},
      {"ArgMax", "graph(x: f32[8,64]) { e = Exp(x); v = ArgMax(e, axis=1); return v }"},
      {"ReduceProd", "graph(x: f32[8,64], y: f32[64,32]) { m = MatMul(x, y); v = ReduceProd(m, axes=[1]); return v }"},
      {"CumSum", "graph(x: f32[8,64]) { v = CumSum(x, axis=1); return v }"},
      {"Pad", "graph(x: f32[8,64]) { v = Pad(x, pads=[1,1,1,1]); return v }"},
      {"Trilu", "graph(x: f32[8,64]) { r = Relu(x); v = Trilu(r); return v }"},
      {"GatherND", "graph(x: f32[8,64], i: i64[5,1]) { v = GatherND(x, i); return v }"},
      {"ScatterND", "graph(x: f32[8,64], i: i64[5,1], u: f32[5,64]) { v = ScatterND(x, i, u); s = Softmax(v); return s }"},
      {"NegativeLogLikelihoodLoss", "graph(x: f32[8,64], l: i64[8]) { v = NegativeLogLikelihoodLoss(x, l); return v }"},
      {"Not", "graph(x: bool[8,64]) { v = Not(x); return v }"},
  };
  for (const auto& [op, text] : kGraphs) {
    const std::string why = refusal(text);
    EXPECT_NE(why.find(op), std::string::npos) << text << ": " << why;
  }
}

}  // namespace
}  // namespace fuselab::codegen
