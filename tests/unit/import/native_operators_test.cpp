// SPDX-License-Identifier: Apache-2.0
// Operators that are ours under ONNX's name: where their operands and attributes come from, and what is left to a barrier.
#include "core/graph/graph_text.h"
#include "model_maker.h"

namespace fuselab {
namespace {

using testing::error_of;
using testing::has;
using testing::imported;
using testing::ModelMaker;
using testing::operators_of;
using testing::output_type;

constexpr int kI64Code = 7;
constexpr int kBoolCode = 9;

std::string first_note(const ModelMaker& maker) {
  const auto model = imported(maker);
  return model.notes.empty() ? "" : model.notes.front();
}

const Attributes& last_attributes(const ImportedModel& model) {
  return model.graph.nodes().back().attributes;
}

TEST(NativeOperators, ComparisonsAndLogicGiveBool) {
  const auto model = imported(ModelMaker()
                                  .input("x", {"4", "8"})
                                  .input("y", {"8"})
                                  .node("Less", {"x", "y"}, {"l"})
                                  .node("Not", {"l"}, {"n"})
                                  .node("Where", {"n", "x", "y"}, {"z"})
                                  .output("z"));
  EXPECT_EQ(operators_of(model.graph), "Less Not Where");
  EXPECT_EQ(output_type(model.graph), "f32[4,8]");
  EXPECT_EQ(model.opaque_nodes, 0);
}

TEST(NativeOperators, OldComparisonsLineUpWhereTheirAxisSays) {
  const auto model = imported(ModelMaker(1)
                                  .input("x", {"2", "3", "4"})
                                  .input("y", {"3"})
                                  .node("Greater", {"x", "y"}, {"z"})
                                  .with("broadcast", 1)
                                  .with("axis", 1)
                                  .output("z"));
  EXPECT_EQ(operators_of(model.graph), "Unsqueeze Greater");
  EXPECT_EQ(output_type(model.graph), "bool[2,3,4]");
}

TEST(NativeOperators, ModOfRealsWithoutFmodIsAnError) {
  EXPECT_TRUE(has(error_of(ModelMaker().input("x", {"4"}).input("y", {"4"}).node("Mod", {"x", "y"}, {"z"}).output("z")), "fmod=1"));
}

TEST(NativeOperators, PadsComeAsAttributeOrAsInput) {
  const auto attribute = imported(ModelMaker(2)
                                      .input("x", {"4", "8"})
                                      .node("Pad", {"x"}, {"y"})
                                      .with_list("pads", {0, 1, 0, 2})
                                      .with_text("mode", "edge")
                                      .output("y"));
  EXPECT_EQ(output_type(attribute.graph), "f32[4,11]");
  EXPECT_EQ(last_attributes(attribute).text("mode", ""), "edge");
  const auto input = imported(ModelMaker(13)
                                  .input("x", {"n", "8"})
                                  .integers("p", {0, 1, 0, 2})
                                  .number("v", 7.0f)
                                  .node("Pad", {"x", "p", "v"}, {"y"})
                                  .output("y"));
  EXPECT_EQ(output_type(input.graph), "f32[n,11]");
  EXPECT_DOUBLE_EQ(last_attributes(input).real("value", 0), 7.0);
}

TEST(NativeOperators, PadsOfSomeAxesAreSpread) {
  const auto model = imported(ModelMaker(18)
                                  .input("x", {"4", "8", "2"})
                                  .integers("p", {1, 2, 3, 4})
                                  .integers("a", {-1, 0})
                                  .node("Pad", {"x", "p", "", "a"}, {"y"})
                                  .output("y"));
  EXPECT_EQ(last_attributes(model).integers("pads"), (std::vector<std::int64_t>{2, 0, 1, 4, 0, 3}));
  EXPECT_EQ(output_type(model.graph), "f32[10,8,6]");
  EXPECT_TRUE(has(error_of(ModelMaker(18)
                               .input("x", {"4"})
                               .integers("p", {1, 2})
                               .integers("a", {1})
                               .node("Pad", {"x", "p", "", "a"}, {"y"})
                               .output("y")),
                  "axis 1 is outside rank 1"));
}

TEST(NativeOperators, WhatIsComputedStaysABarrier) {
  EXPECT_TRUE(has(
      first_note(ModelMaker(13).input("x", {"4"}).input("p", {"2"}, kI64Code).node("Pad", {"x", "p"}, {"y"}).output("y", {"6"})),
      "its pads are computed"));
  EXPECT_TRUE(has(first_note(ModelMaker(13)
                                 .input("x", {"4"})
                                 .integers("p", {1, 1})
                                 .input("v", {})
                                 .node("Pad", {"x", "p", "v"}, {"y"})
                                 .output("y", {"6"})),
                  "what fills its border is computed"));
  EXPECT_TRUE(has(
      first_note(ModelMaker(14).input("x", {"4"}).input("a", {}, kI64Code).node("CumSum", {"x", "a"}, {"y"}).output("y", {"4"})),
      "its axis is computed"));
  EXPECT_TRUE(has(
      first_note(
          ModelMaker(14).input("x", {"4", "4"}).input("k", {}, kI64Code).node("Trilu", {"x", "k"}, {"y"}).output("y", {"4", "4"})),
      "its diagonal is computed"));
}

TEST(NativeOperators, ReflectionFillsNothingIn) {
  const auto model = imported(ModelMaker(13)
                                  .input("x", {"4"})
                                  .integers("p", {1, 1})
                                  .input("v", {})
                                  .node("Pad", {"x", "p", "v"}, {"y"})
                                  .with_text("mode", "reflect")
                                  .output("y"));
  EXPECT_EQ(operators_of(model.graph), "Pad");
}

TEST(NativeOperators, BitsOfWholeNumbers) {
  const auto model = imported(ModelMaker(18)
                                  .input("x", {"4", "8"}, kI64Code)
                                  .input("m", {"8"}, kI64Code)
                                  .node("BitwiseAnd", {"x", "m"}, {"y"})
                                  .output("y"));
  EXPECT_EQ(operators_of(model.graph), "BitwiseAnd");
}

TEST(NativeOperators, ScansAndTriangles) {
  const auto sum = imported(
      ModelMaker(14).input("x", {"4", "8"}).integers("a", {-1}).node("CumSum", {"x", "a"}, {"y"}).with("reverse", 1).output("y"));
  EXPECT_EQ(last_attributes(sum).integer("axis", 0), -1);
  EXPECT_EQ(last_attributes(sum).integer("reverse", 0), 1);
  const auto triangle = imported(ModelMaker(14)
                                     .input("x", {"4", "8"}, kBoolCode)
                                     .integers("k", {2})
                                     .node("Trilu", {"x", "k"}, {"y"})
                                     .with("upper", 0)
                                     .output("y"));
  EXPECT_EQ(output_type(triangle.graph), "bool[4,8]");
  EXPECT_EQ(last_attributes(triangle).integer("k", 0), 2);
  EXPECT_EQ(last_attributes(triangle).integer("upper", 1), 0);
}

TEST(NativeOperators, PlacesAreWholeNumbersOfAnyOpset) {
  EXPECT_EQ(output_type(
                imported(ModelMaker(1).input("x", {"4", "8"}).node("ArgMax", {"x"}, {"y"}).with("keepdims", 0).output("y")).graph),
            "i64[8]");
  EXPECT_EQ(
      output_type(imported(ModelMaker(13).input("x", {"4", "8"}).node("ArgMin", {"x"}, {"y"}).with("axis", 1).output("y")).graph),
      "i64[4,1]");
}

TEST(NativeOperators, OldHardmaxTakesAllAxesFromItsOwnOnAsOne) {
  const auto old = imported(ModelMaker(11).input("x", {"4", "8", "2"}).node("Hardmax", {"x"}, {"y"}).output("y", {"4", "8", "2"}));
  EXPECT_EQ(operators_of(old.graph), "Flatten Hardmax Reshape");
  EXPECT_EQ(operators_of(imported(ModelMaker(13).input("x", {"4", "8", "2"}).node("Hardmax", {"x"}, {"y"}).output("y")).graph),
            "Hardmax");
}

TEST(NativeOperators, ScatterIsTheOldNameOfScatterElements) {
  const auto model = imported(ModelMaker(9)
                                  .input("x", {"4", "8"})
                                  .input("i", {"4", "2"}, kI64Code)
                                  .input("u", {"4", "2"})
                                  .node("Scatter", {"x", "i", "u"}, {"y"})
                                  .with("axis", 1)
                                  .output("y"));
  EXPECT_EQ(operators_of(model.graph), "ScatterElements");
  EXPECT_EQ(output_type(model.graph), "f32[4,8]");
}

TEST(NativeOperators, ALossKeepsItsReduction) {
  EXPECT_EQ(operators_of(imported(ModelMaker(13)
                                      .input("x", {"4", "8"})
                                      .input("l", {"4"}, kI64Code)
                                      .node("NegativeLogLikelihoodLoss", {"x", "l"}, {"y"})
                                      .with_text("reduction", "sum")
                                      .with("ignore_index", -1)
                                      .output("y"))
                             .graph),
            "NegativeLogLikelihoodLoss");
}

}  // namespace
}  // namespace fuselab
