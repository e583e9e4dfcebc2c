// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "backends/codegen/cpu/families.h"
#include "backends/codegen/emit/element_ops.h"
#include "backends/codegen/emit/generated_ops.h"
#include "backends/codegen/simt/simt_family.h"
#include "core/fusion/match/forms.h"
#include "core/fusion/match/group.h"
#include "core/graph/graph_text.h"

namespace fuselab::codegen {
namespace {

const Target kCpuTarget{"x86-64-v3", "x86-64", {{"vector_bytes", 32}, {"cores", 2}, {"l3_bytes", 32 << 20}}};
const Target kGpuTarget{"sm_90", "cuda", {{"multiprocessors", 132}}};

// Why processors, or many threads, do not run the graph; "" when they do.
std::string refusal_of_tasks(const char* text) {
  const auto tasks = find_family(parse_graph(text).value(), kCpuTarget);
  return tasks.ok() ? "" : tasks.error().message;
}
std::string refusal_of_threads(const char* text) {
  const auto threads = find_simt_family(parse_graph(text).value(), kGpuTarget);
  return threads.ok() ? "" : threads.error().message;
}

TEST(GeneratedOperators, FusionKeepsApartExactlyTheElementWiseOperatorsWithoutAnExpression) {
  for (const Op op : computed_ops()) {
    if (!is_elementwise(op)) continue;
    EXPECT_EQ(shares_no_kernel(op), !has_expression(op)) << name_of(op);
  }
}

// Where nobody is asked, fusion takes every backend for the least able of Fuselab's.
TEST(GeneratedOperators, WhatTheGeneratorsSayTheyWriteAloneIsWhatFusionAssumesUnasked) {
  for (const Op op : computed_ops()) {
    FusionOptions asking;
    asking.asked = {{"cpu", {}}};
    asking.asked.front().limits.writes_alone = written_alone();
    EXPECT_EQ(fuselab::written_alone(asking, op).has_value(), fuselab::written_alone({}, op).has_value()) << name_of(op);
  }
}

TEST(GeneratedOperators, ThreadsWriteOneByOneWhatNoOtherFamilyWrites) {
  const char* const kGraphs[][2] = {
      {"Less", "graph(x: f32[8,64], y: f32[8,64]) { v = Less(x, y); return v }"},
      {"Less", "graph(x: f32[8,64], y: f32[8,64]) { e = Exp(x); c = Less(e, y); v = Where(c, x, y); return v }"},
      {"Sin", "graph(x: f32[8,64]) { v = Sin(x); return v }"},
      {"Mod", "graph(x: f32[8,64], y: f32[8,64]) { m = Mod(x, y, fmod=1); v = Softmax(m); return v }"},
      {"ArgMax", "graph(x: f32[8,64]) { e = Exp(x); v = ArgMax(e, axis=1); return v }"},
      {"CumSum", "graph(x: f32[8,64]) { v = CumSum(x, axis=1); return v }"},
      {"Pad", "graph(x: f32[8,64]) { v = Pad(x, pads=[1,1,1,1]); return v }"},
      {"Trilu", "graph(x: f32[8,64]) { r = Relu(x); v = Trilu(r); return v }"},
      {"GatherND", "graph(x: f32[8,64], i: i64[5,1]) { v = GatherND(x, i); return v }"},
      {"NegativeLogLikelihoodLoss", "graph(x: f32[8,64], l: i64[8]) { v = NegativeLogLikelihoodLoss(x, l); return v }"},
      {"TopK", "graph(x: f32[8,64]) { v, p = TopK(x, k=3); return v, p }"},
      {"RotaryEmbedding",
       "graph(x: f32[1,2,7,16], c: f32[1,7,8], s: f32[1,7,8]) { v = RotaryEmbedding(x, c, s, interleaved=1); return v }"},
      {"Not", "graph(x: bool[8,64]) { v = Not(x); return v }"},
  };
  for (const auto& [op, text] : kGraphs) {
    const std::string why = refusal_of_threads(text);
    EXPECT_EQ(why, "") << op << " in " << text;
  }
  const std::string why =
      refusal_of_threads("graph(x: f32[4,2,8], w: f32[1,32,8], r: f32[1,32,8]) { y, h, c = LSTM(x, w, r); return y, h, c }");
  EXPECT_NE(why.find("LSTM"), std::string::npos) << why;
}

TEST(GeneratedOperators, TheElementFamilyRefusesWhatReachesTwiceOrTooFar) {
  const char* const kGraphs[] = {
      "graph(x: i4[8,64], y: i4[8,64]) { v = Less(x, y); return v }",
      "graph(x: f32[8,64]) { p = Pad(x, pads=[1,1,1,1]); v = CumSum(p, axis=1); return v }",
      "graph(x: f32[8,5000]) { c = CumSum(x, axis=1); v = Reshape(c, shape=[40000]); return v }",
      "graph(x: f32[65536,4096]) { c = CumSum(x, axis=1); v = Reshape(c, shape=[268435456]); return v }",
      "graph(x: f32[8,64], y: f32[64,32]) { m = MatMul(x, y); v = ReduceProd(m, axes=[1]); return v }",
      "graph(x: f32[8,64], i: i64[5,1], u: f32[5,64]) { v = ScatterND(x, i, u); s = Softmax(v); return s }",
      "graph(x: f32[1,512,16,16,16,16], w: f32[512,512,3,3,3,3]) { v = Conv(x, w, pads=[1,1,1,1,1,1,1,1]); return v }",
      "graph(x: u64[8], y: u64[8]) { v = Mod(x, y); return v }",
      "graph(x: u64[8]) { v, p = TopK(x, k=3); return v, p }",
      "graph(x: f32[8]) { v, p = TopK(x, k=3); e = Exp(v); return e, p }",
      "graph(x: f32[8]) { e = Exp(x); v, p = TopK(e, k=3); return e, p }",
  };
  for (const char* const text : kGraphs) EXPECT_NE(refusal_of_tasks(text), "") << text;
}

}  // namespace
}  // namespace fuselab::codegen
