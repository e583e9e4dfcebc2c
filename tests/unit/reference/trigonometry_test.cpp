// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "tests/unit/reference/reference_support.h"

namespace fuselab {
namespace {

using test::evaluate;
using test::graph_of;
using test::inputs_of;
using test::near;

std::vector<double> at(const std::string& op, const std::vector<double>& x) {
  return evaluate("graph(i0: f64[2]) { v0 = " + op + "(i0); return v0 }", {x});
}

TEST(ReferenceTrigonometry, KnownValues) {
  const double pi = 3.141592653589793;
  EXPECT_THAT(at("Sin", {pi / 6, -pi / 2}), near({0.5, -1}));
  EXPECT_THAT(at("Cos", {pi / 3, pi}), near({0.5, -1}));
  EXPECT_THAT(at("Tan", {pi / 4, -pi / 4}), near({1, -1}));
  EXPECT_THAT(at("Asin", {0.5, -1}), near({pi / 6, -pi / 2}));
  EXPECT_THAT(at("Acos", {0.5, -1}), near({pi / 3, pi}));
  EXPECT_THAT(at("Atan", {1, -1}), near({pi / 4, -pi / 4}));
  EXPECT_THAT(at("Sinh", {1, 0}), near({1.1752011936438014, 0}));
  EXPECT_THAT(at("Cosh", {1, 0}), near({1.5430806348152437, 1}));
  EXPECT_THAT(at("Asinh", {1.1752011936438014, 0}), near({1, 0}));
  EXPECT_THAT(at("Acosh", {1.5430806348152437, 1}), near({1, 0}));
  EXPECT_THAT(at("Atanh", {0.5, 0}), near({0.5493061443340549, 0}));
}

TEST(ReferenceTrigonometry, OutsideOfTheirDomainsIsNan) {
  for (const char* op : {"Asin", "Acos", "Atanh"}) EXPECT_TRUE(std::isnan(at(op, {2, 0})[0])) << op;
  EXPECT_TRUE(std::isnan(at("Acosh", {0.5, 1})[0]));
}

// The bound must hold for an operand moved by all that it may be off.
TEST(ReferenceTrigonometry, ErrorsAreCarriedThroughTheSlope) {
  struct Function {
    const char* op;
    double (*of)(double);
    double root;  // the operand is its square
  };
  const Function functions[] = {{"Sin", std::sin, 1.7},     {"Cos", std::cos, 1.1},     {"Tan", std::tan, 1.2},
                                {"Asin", std::asin, 0.9},   {"Acos", std::acos, 0.9},   {"Atan", std::atan, 1.3},
                                {"Sinh", std::sinh, 1.5},   {"Cosh", std::cosh, 1.5},   {"Asinh", std::asinh, 1.1},
                                {"Acosh", std::acosh, 1.1}, {"Atanh", std::atanh, 0.95}};
  for (const auto& [op, of, root] : functions) {
    const Graph graph = graph_of("graph(i0: f32[1]) { v0 = Mul(i0, i0); v1 = " + std::string(op) + "(v0); return v1 }");
    const auto expected = expected_outputs(graph, inputs_of(graph, {{root}}), 1);
    ASSERT_TRUE(expected.ok());
    const double bound = expected.value()[0].magnitude[0] * 0x1p-24;
    const double x = root * root;
    EXPECT_GE(bound, std::fabs(of(x * (1 + 0x1p-24)) - of(x))) << op;
    EXPECT_LE(bound, 1e-4) << op;
  }
}

TEST(ReferenceTrigonometry, AnOperandThatMayLeaveTheDomainIsNotJudged) {
  const Graph graph = graph_of("graph(i0: f32[1], i1: f32[1]) { v0 = Div(i0, i1); v1 = Acos(v0); return v1 }");
  const auto expected = expected_outputs(graph, inputs_of(graph, {{3}, {3}}), 1);
  ASSERT_TRUE(expected.ok());
  EXPECT_TRUE(std::isinf(expected.value()[0].magnitude[0]));
}

}  // namespace
}  // namespace fuselab
