// SPDX-License-Identifier: Apache-2.0
// What another program computed is compared number by number: a lost small row is found, and what two programs may differ by is
// not.
#include "app/engine/execute/given/expectation.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "core/graph/graph_text.h"

namespace fuselab::engine {
namespace {

// y = x · w: the second row of x is a hundred-thousandth of the first.
constexpr const char* kProduct = "graph(x: f32[2,4], w: f32[4,3]) { y = MatMul(x, w); return y }";

class Expected : public testing::Test {
 protected:
  // Compares with the reference's own numbers after an edit.
  Expectation compared(const std::string& text, const std::vector<std::vector<double>>& inputs,
                       const std::function<void(std::vector<double>&)>& edit, const ExpectRule& rule = {}, bool bounded = true) {
    const auto graph = parse_graph(text);
    EXPECT_TRUE(graph.ok()) << graph.error().message;
    std::vector<RealTensor> tensors;
    for (std::size_t i = 0; i < inputs.size(); ++i) tensors.push_back({graph.value().type(graph.value().inputs()[i]), inputs[i]});
    const auto bounds = expected_outputs(graph.value(), tensors, 1);
    EXPECT_TRUE(bounds.ok()) << bounds.error().message;
    RealTensor output{bounds.value()[0].type, bounds.value()[0].values};
    round_to_dtype(output);
    RealTensor given = output;
    edit(given.data);
    GivenNumbers numbers;
    numbers.expect["y"] = {"y.npy", pack(given), 1};
    const auto found =
        compare_expected(graph.value(), numbers, {output},
                         bounded ? std::span<const ExpectedOutput>(bounds.value()) : std::span<const ExpectedOutput>(), rule, 0, 1);
    EXPECT_TRUE(found.ok() && found.value().size() == 1) << "one output";
    return found.value().at(0);
  }
  Expectation product(const std::function<void(std::vector<double>&)>& edit, const ExpectRule& rule = {}, bool bounded = true) {
    return compared(kProduct, {{1, 2, 3, 4, 1e-5, 2e-5, 3e-5, 4e-5}, std::vector<double>(12, 0.5)}, edit, rule, bounded);
  }
};

TEST_F(Expected, TheSameNumbersHaveNoWorst) {
  const Expectation same = product([](auto&) {});
  EXPECT_TRUE(same.met());
  EXPECT_EQ(same.numbers, 6);
  EXPECT_EQ(same.differ, 0);
  EXPECT_EQ(same.worst_at, "");
}

TEST_F(Expected, ASmallRowThatIsLostIsFound) {
  const auto lose = [](std::vector<double>& y) { y[3] = y[4] = y[5] = 0; };
  const Expectation lost = product(lose);
  EXPECT_FALSE(lost.met());
  EXPECT_EQ(lost.differ, 3);
  EXPECT_EQ(lost.worst_at, "[1,0]");
  EXPECT_NEAR(lost.worst_found, 5e-5, 1e-9);
  EXPECT_EQ(lost.worst_expected, 0);
  EXPECT_TRUE(product(lose, {}, false).met()) << "without the bounds it lies within what the largest number allows";
}

TEST_F(Expected, AnotherOrderOfTheSumIsNoDifference) {
  const Expectation other = product([](std::vector<double>& y) {
    for (double& each : y) each *= 1 + 1e-7;
  });
  EXPECT_TRUE(other.met()) << other.worst_ratio;
  EXPECT_EQ(other.differ, 0);
  EXPECT_NE(other.worst_at, "");
}

TEST_F(Expected, NumbersInF64AreComparedAsSuch) {
  const std::string text = "graph(x: f64[2,4], w: f64[4,3]) { y = MatMul(x, w); return y }";
  const auto off = [&](double by) {
    return compared(
               text, {std::vector<double>(8, 1), std::vector<double>(12, 0.5)}, [by](auto& y) { y[0] += by; }, {}, false)
        .met();
  };
  EXPECT_TRUE(off(1e-11));
  EXPECT_FALSE(off(1e-7));
}

TEST_F(Expected, AHalfOnTheWayWidensWhatIsTolerated) {
  const std::string text = "graph(x: f32[1,4]) { h = Cast(x, to=\"f16\"); s = Exp(h); y = Cast(s, to=\"f32\"); return y }";
  EXPECT_TRUE(compared(text, {{1, 2, 3, 4}}, [](auto& y) { y[3] *= 1.0005; }).met());
  EXPECT_FALSE(compared(text, {{1, 2, 3, 4}}, [](auto& y) { y[3] *= 1.05; }).met());
}

TEST_F(Expected, StepsAreThoseOfTheQuantisedOutput) {
  const std::string text = "graph(x: f32[1,6]) { r = Round(x); y = Add(r, r); return y }";
  const auto off = [&](double by, std::int64_t steps) {
    ExpectRule rule;
    rule.steps = steps;
    return compared(
               text, {{1, 2, 3, 5, 8, 13}}, [by](auto& y) { y[2] += by; }, rule)
        .met();
  };
  EXPECT_TRUE(off(2, 1)) << "numbers are multiples of 2";
  EXPECT_FALSE(off(4, 1));
  EXPECT_TRUE(off(4, 2));
}

TEST_F(Expected, IntegersAreTheSameUnlessStepsAreGiven) {
  const std::string text = "graph(x: i32[4]) { y = Neg(x); return y }";
  const auto one_more = [](std::vector<double>& y) { y[1] += 1; };
  ExpectRule step;
  step.steps = 1;
  const Expectation off = compared(text, {{1, 2, 3, 4}}, one_more);
  EXPECT_FALSE(off.met());
  EXPECT_EQ(off.worst_at, "[1]");
  EXPECT_TRUE(compared(text, {{1, 2, 3, 4}}, one_more, step).met());
}

TEST_F(Expected, AToleranceIsUsedAlone) {
  ExpectRule loose;
  loose.relative = 0.1;
  EXPECT_TRUE(product([](auto& y) { y[0] *= 1.05; }, loose).met());
  EXPECT_FALSE(product([](auto& y) { y[3] = 0; }, loose).met()) << "a share of 0 is 0";
  loose.absolute = 1e-3;
  EXPECT_TRUE(product([](auto& y) { y[3] = 0; }, loose).met());
}

TEST_F(Expected, NotANumberIsNoNumber) {
  const Expectation lost = product([](auto& y) { y[2] = std::nan(""); });
  EXPECT_FALSE(lost.met());
  EXPECT_EQ(lost.differ, 1);
  EXPECT_EQ(lost.worst_at, "[0,2]");
}

}  // namespace
}  // namespace fuselab::engine
