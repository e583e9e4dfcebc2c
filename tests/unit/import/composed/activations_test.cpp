// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "tests/unit/import/evaluated.h"

namespace fuselab {
namespace {

using testing::barrier_of;
using testing::error_of;
using testing::evaluated;
using testing::expect_close;
using testing::has;
using testing::imported;
using testing::ModelMaker;
using testing::operators_of;
using testing::output_type;

const std::vector<double> kNumbers = {-1000, -3, -0.5, 0, 1e-6, 0.5, 3, 1000};

ModelMaker activation(const std::string& op, int opset = 22) {
  return ModelMaker(opset).input("x", {"8"}).node(op, {"x"}, {"y"}).output("y");
}

ModelMaker with_real(ModelMaker maker, const std::string& name, float value) {
  auto& added = *maker.graph().mutable_node(0)->add_attribute();
  added.set_name(name);
  added.set_type(onnx::AttributeProto::FLOAT);
  added.set_f(value);
  return maker;
}

template <typename Function>
std::vector<double> mapped(Function function) {
  std::vector<double> results;
  for (const double number : kNumbers) results.push_back(function(number));
  return results;
}

TEST(ComposedActivations, AreTheirFormulas) {
  expect_close(evaluated(activation("HardSigmoid"), {kNumbers}),
               mapped([](double x) { return std::clamp(0.2 * x + 0.5, 0.0, 1.0); }));
  expect_close(evaluated(activation("HardSwish"), {kNumbers}),
               mapped([](double x) { return x * std::clamp(x / 6 + 0.5, 0.0, 1.0); }));
  expect_close(evaluated(activation("Softsign"), {kNumbers}), mapped([](double x) { return x / (1 + std::fabs(x)); }));
  expect_close(evaluated(activation("Softplus"), {kNumbers}),
               mapped([](double x) { return std::max(x, 0.0) + std::log(std::exp(-std::fabs(x)) + 1); }));
  expect_close(evaluated(activation("Mish"), {kNumbers}),
               mapped([](double x) { return x * std::tanh(std::max(x, 0.0) + std::log(std::exp(-std::fabs(x)) + 1)); }));
}

TEST(ComposedActivations, ExponentialUnitsTakeNoPowerOfWhatIsAboveZero) {
  const auto unit = [](double alpha, double scale, double width) {
    return mapped([=](double x) { return scale * (x > 0 ? x : alpha * (std::exp(x / width) - 1)); });
  };
  expect_close(evaluated(activation("Elu"), {kNumbers}), unit(1, 1, 1));
  expect_close(evaluated(with_real(activation("Elu"), "alpha", 2), {kNumbers}), unit(2, 1, 1));
  expect_close(evaluated(with_real(activation("Celu"), "alpha", 2), {kNumbers}), unit(2, 1, 2));
  expect_close(evaluated(activation("Selu"), {kNumbers}), unit(1.67326319217681884765625, 1.05070102214813232421875, 1));
  expect_close(evaluated(activation("Selu", 5), {kNumbers}), unit(1.6732, 1.0507, 1));
  EXPECT_TRUE(has(barrier_of(with_real(activation("Celu"), "alpha", 0)), "divides by"));
}

TEST(ComposedActivations, HyperbolicFunctionsAreExactNearZeroAndAtTheEnd) {
  expect_close(evaluated(activation("Sinh"), {{-700, -3, -1e-6, 0, 1e-12, 0.5, 3, 710}}),
               {std::sinh(-700), std::sinh(-3), std::sinh(-1e-6), 0, 1e-12, std::sinh(0.5), std::sinh(3), std::sinh(710)});
  expect_close(evaluated(activation("Cosh"), {{-700, -3, -1e-6, 0, 1e-12, 0.5, 3, 710}}),
               {std::cosh(-700), std::cosh(-3), std::cosh(-1e-6), 1, 1, std::cosh(0.5), std::cosh(3), std::cosh(710)});
}

TEST(ComposedActivations, OtherAttributesAndTypesAreBarriers) {
  EXPECT_EQ(barrier_of(with_real(activation("HardSwish"), "alpha", 1)), "its attribute 'alpha' is not known");
  EXPECT_EQ(barrier_of(ModelMaker().input("x", {"8"}, 7).node("Elu", {"x"}, {"y"}).output("y")), "it takes i64");
}

ModelMaker prelu(int opset, const std::vector<std::int64_t>& slope) {
  return ModelMaker(opset)
      .input("x", {"1", "2", "2"})
      .weight("s", slope)
      .node("PRelu", {"x", "s"}, {"y"})
      .output("y", {"1", "2", "2"});
}

TEST(ComposedActivations, SlopesBroadcastAsNumpyDoesAndBeforeOpset7AlongTheChannels) {
  const std::vector<double> x = {-1, 2, -3, -4};
  expect_close(evaluated(prelu(16, {2, 1}), {x, {10, 100}}), {-10, 2, -300, -400});
  expect_close(evaluated(prelu(16, {2}), {x, {10, 100}}), {-10, 2, -30, -400});
  expect_close(evaluated(prelu(6, {2}), {x, {10, 100}}), {-10, 2, -300, -400});
  expect_close(evaluated(prelu(6, {1}), {x, {10}}), {-10, 2, -30, -40});
  EXPECT_TRUE(has(barrier_of(prelu(16, {3, 1, 2, 2})), "where ONNX has f32[1,2,2]"));
  EXPECT_TRUE(has(barrier_of(prelu(16, {3})), "do not broadcast"));
}

TEST(ComposedActivations, OneKnownSlopeIsALeakyRelu) {
  const auto model =
      imported(ModelMaker().input("x", {"4"}).reals("s", {1}, {0.25f}).node("PRelu", {"x", "s"}, {"y"}).output("y", {"4"}));
  EXPECT_EQ(operators_of(model.graph), "LeakyRelu");
  expect_close(evaluated(model, {{-4, 4, 0, -8}}), {-1, 4, 0, -2});
}

TEST(ComposedActivations, CastLikeTakesTheTypeOfItsSecondOperand) {
  const auto model = imported(ModelMaker().input("x", {"4"}).input("t", {"2"}, 10).node("CastLike", {"x", "t"}, {"y"}).output("y"));
  EXPECT_EQ(output_type(model.graph), "f16[4]");
}

TEST(ComposedActivations, MeansOfManyAreSumsDivided) {
  ModelMaker maker;
  maker.input("a", {"2"}).input("b", {"1"}).input("c", {"2"}).node("Mean", {"a", "b", "c"}, {"y"}).output("y");
  expect_close(evaluated(maker, {{1, 2}, {3}, {5, 10}}), {3, 5});
  EXPECT_EQ(operators_of(imported(ModelMaker().input("a", {"2"}).node("Mean", {"a"}, {"y"}).output("y")).graph), "Identity");
  EXPECT_TRUE(has(error_of(ModelMaker().input("a", {"2"}).node("Mean", {"a", "", "a"}, {"y"}).output("y")), "lacks operand 1"));
}

// A sum of which the last operand does not fit leaves no addition behind.
TEST(ComposedActivations, NothingIsLeftOfWhatDoesNotFit) {
  ModelMaker maker;
  maker.input("a", {"2"}).input("b", {"2"}).input("c", {"3"}).node("Sum", {"a", "b", "c"}, {"y"}).output("y", {"2"});
  EXPECT_TRUE(has(barrier_of(maker), "do not broadcast"));
}

}  // namespace
}  // namespace fuselab
