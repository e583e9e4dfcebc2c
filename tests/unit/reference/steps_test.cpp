// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "core/reference/tolerance.h"
#include "tests/unit/reference/reference_support.h"

namespace fuselab {
namespace {

using test::evaluate;
using test::graph_of;
using test::inputs_of;
using testing::ElementsAre;

std::vector<double> unary(const std::string& call) {
  return evaluate("graph(i0: f32[7]) { v0 = " + call + "; return v0 }", {{-2.5, -1.5, -0.5, 0, 0.5, 1.25, 2.5}});
}

// How far each element of the graph's only output may be off.
std::vector<double> errors_of(const std::string& text, const std::vector<std::vector<double>>& data) {
  const Graph graph = graph_of(text);
  const auto expected = expected_outputs(graph, inputs_of(graph, data), 1);
  if (!expected.ok()) throw std::runtime_error(expected.error().message);
  std::vector<double> errors = expected.value()[0].magnitude;
  for (double& error : errors) error *= 0x1p-24;
  return errors;
}

TEST(ReferenceSteps, Rounding) {
  EXPECT_THAT(unary("Floor(i0)"), ElementsAre(-3, -2, -1, 0, 0, 1, 2));
  EXPECT_THAT(unary("Ceil(i0)"), ElementsAre(-2, -1, 0, 0, 1, 2, 3));
  EXPECT_THAT(unary("Round(i0)"), ElementsAre(-2, -2, 0, 0, 0, 1, 2));
  EXPECT_THAT(unary("Sign(i0)"), ElementsAre(-1, -1, -1, 0, 1, 1, 1));
}

TEST(ReferenceSteps, Thresholds) {
  EXPECT_THAT(unary("ThresholdedRelu(i0)"), ElementsAre(0, 0, 0, 0, 0, 1.25, 2.5));
  EXPECT_THAT(unary("ThresholdedRelu(i0, alpha=-1.0)"), ElementsAre(0, 0, -0.5, 0, 0.5, 1.25, 2.5));
  EXPECT_THAT(unary("Shrink(i0, bias=0.25)"), ElementsAre(-2.25, -1.25, 0, 0, 0, 1, 2.25));
  EXPECT_THAT(unary("Shrink(i0, lambd=1.5)"), ElementsAre(-2.5, 0, 0, 0, 0, 0, 2.5));
}

TEST(ReferenceSteps, NanStaysNan) {
  for (const char* op : {"Floor", "Sign", "ThresholdedRelu", "Shrink"}) {
    const auto given = evaluate("graph(i0: f32[1]) { v0 = " + std::string(op) + "(i0); return v0 }", {{std::nan("")}});
    EXPECT_TRUE(std::isnan(given[0])) << op;
  }
}

TEST(ReferenceSteps, ModWithBothSigns) {
  const auto of = [](const std::string& type, const std::string& fmod) {
    return evaluate("graph(i0: " + type + "[4], i1: " + type + "[4]) { v0 = Mod(i0, i1, fmod=" + fmod + "); return v0 }",
                    {{7, -7, 7, -7}, {3, 3, -3, -3}});
  };
  EXPECT_THAT(of("i32", "0"), ElementsAre(1, 2, -2, -1));
  EXPECT_THAT(of("i32", "1"), ElementsAre(1, -1, 1, -1));
  EXPECT_THAT(of("f32", "1"), ElementsAre(1, -1, 1, -1));
  EXPECT_THAT(evaluate("graph(i0: i32[1], i1: i32[1]) { v0 = Mod(i0, i1); return v0 }", {{5}, {0}}), ElementsAre(0));
}

TEST(ReferenceSteps, ExactOperandsStepExactly) {
  const auto errors = errors_of("graph(i0: f32[2]) { v0 = Floor(i0); return v0 }", {{1, 1.9999999}});
  EXPECT_LT(errors[0], 1e-6);
  EXPECT_LT(errors[1], 1e-6);
}

TEST(ReferenceSteps, AnOperandBesideAStepMayTakeIt) {
  // The square of a square root is as near to an integer as rounding lets it be.
  const auto errors = errors_of("graph(i0: f32[2]) { v0 = Sqrt(i0); v1 = Mul(v0, v0); v2 = Floor(v1); return v2 }", {{3, 3.5}});
  EXPECT_GE(errors[0], 0.9);
  EXPECT_LT(errors[1], 1e-5);
  const auto wrapped = errors_of(
      "graph(i0: f32[2], i1: f32[]) { v0 = Sqrt(i0); v1 = Mul(v0, v0); v2 = Mod(v1, i1, fmod=1); return v2 }", {{3, 3.5}, {1.5}});
  EXPECT_GE(wrapped[0], 1.4);
  EXPECT_LT(wrapped[1], 1e-5);
  const auto shrunk =
      errors_of("graph(i0: f32[2]) { v0 = Sqrt(i0); v1 = Mul(v0, v0); v2 = Shrink(v1, lambd=3.0); return v2 }", {{3, 3.5}});
  EXPECT_GE(shrunk[0], 2.9);
  EXPECT_LT(shrunk[1], 1e-5);
}

}  // namespace
}  // namespace fuselab
