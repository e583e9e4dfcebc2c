// SPDX-License-Identifier: Apache-2.0
#include "backends/codegen/rows/row_program.h"

#include <gtest/gtest.h>

#include "backends/codegen/cpu/families.h"
#include "backends/codegen/cpu/lower_rows.h"
#include "backends/codegen/rows/row_passes.h"
#include "core/graph/graph_text.h"

namespace fuselab::codegen {
namespace {

RowProgram program_of(const char* text) {
  const Graph graph = parse_graph(text).value();
  Result<RowProgram> program = make_row_program(graph);
  EXPECT_TRUE(program.ok());
  return program.value();
}

std::string refusal(const char* text) {
  const Graph graph = parse_graph(text).value();
  const Result<RowProgram> program = make_row_program(graph);
  return program.ok() ? "supported" : program.error().message;
}

TEST(RowProgram, CollapsesEqualShapesToOneRow) {
  const RowProgram program = program_of("graph(x: f32[2,3,4], z: f32[2,3,4]) { y = Add(x, z); return y }");
  EXPECT_TRUE(program.outer.empty());
  EXPECT_EQ(program.cols, 24);
}

TEST(RowProgram, KeepsTheAxesThatBroadcast) {
  const RowProgram program = program_of("graph(x: f32[2,3,4], b: f32[4]) { y = Add(x, b); return y }");
  EXPECT_EQ(program.outer, std::vector<std::int64_t>{6});
  EXPECT_EQ(program.cols, 4);
}

TEST(RowProgram, CountsOnePassPerReductionLevel) {
  EXPECT_EQ(program_of("graph(x: f32[2,8]) { y = Exp(x); return y }").phases(), 1);
  EXPECT_EQ(program_of("graph(x: f32[2,8], w: f32[8]) { y = RMSNormalization(x, w); return y }").phases(), 2);
  EXPECT_EQ(program_of("graph(x: f32[2,8]) { y = Softmax(x); return y }").phases(), 3);
}

TEST(RowProgram, StagesOnlyComputedValuesOfEarlierPasses) {
  EXPECT_EQ(staged_values(program_of("graph(x: f32[2,8], w: f32[8]) { y = RMSNormalization(x, w); return y }")), 0);
  EXPECT_EQ(staged_values(program_of("graph(x: f32[2,8], e: f32[2,8], w: f32[8]) "
                                     "{ s = Add(x, e); y = RMSNormalization(s, w); return y }")),
            1);
}

TEST(RowProgram, SaysWhyItDoesNotFit) {
  EXPECT_NE(refusal("graph(x: f32[2,8]) { y = Softmax(x, axis=0); return y }").find("only the last axis"), std::string::npos);
  EXPECT_NE(refusal("graph(x: f32[2,8]) { y = ReduceSum(x, axes=[0]); return y }").find("last axes"), std::string::npos);
  EXPECT_NE(refusal("graph(x: f32[n,8]) { y = Exp(x); return y }").find("--shape"), std::string::npos);
  EXPECT_NE(refusal("graph(x: f32[4,1], y: f32[4,8]) { s = Slice(x, starts=[0], ends=[1], axes=[1]); v = Add(s, y); return v }")
                .find("does not vary along the row"),
            std::string::npos);
  EXPECT_NE(refusal("graph(x: i32[2,8]) { y = Add(x, x); return y }").find("integer"), std::string::npos);
}

TEST(RowFamily, OffersASpaceWhoseDefaultIsInIt) {
  const Target target{"x86-64-v3", "x86-64", {{"vector_bytes", 32}, {"cores", 8}}};
  for (const char* text :
       {"graph(x: f32[512,768]) { y = Softmax(x); return y }", "graph(x: f32[3]) { y = Exp(x); return y }",
        "graph(x: f32[1,1]) { y = Softmax(x); return y }", "graph(x: f32[64,64], w: f32[64,64]) { y = MatMul(x, w); return y }",
        "graph(x: f32[64,64]) { y = Transpose(x); return y }"}) {
    const Graph graph = parse_graph(text).value();
    const auto family = find_family(graph, target);
    ASSERT_TRUE(family.ok()) << family.error().message;
    const ParameterSpace space = family.value()->space(graph, target);
    const auto fits = space.check(family.value()->default_config(graph, target));
    EXPECT_TRUE(fits.ok()) << text << ": " << fits.error().message;
    EXPECT_LE(space.enumerate(1000).size(), 400U) << text;
  }
}

TEST(RowFamily, OffersNoNonTemporalStoresToUnalignedRows) {
  const Target target{"x86-64-v3", "x86-64", {{"vector_bytes", 32}, {"cores", 8}}};
  const Graph graph = parse_graph("graph(x: f32[512,65]) { y = Softmax(x); return y }").value();
  const ParameterSpace space = find_family(graph, target).value()->space(graph, target);
  for (const auto& axis : space.parameters()) {
    if (axis.name == "nontemporal") {
      EXPECT_EQ(axis.values.size(), 1U);
    }
  }
}

}  // namespace
}  // namespace fuselab::codegen
