// SPDX-License-Identifier: Apache-2.0
// Of an If whose condition is known the branch that it takes is read in its place.
#include "evaluated.h"
#include "function_maker.h"

namespace fuselab {
namespace {

using testing::error_of;
using testing::evaluated;
using testing::expect_close;
using testing::FunctionMaker;
using testing::has;
using testing::imported;
using testing::ModelMaker;
using testing::operators_of;
using testing::output_type;

// One node over `reads`, which the graph around it makes; `inside` is what it is called within.
onnx::GraphProto branch(const std::string& op, const std::string& reads, const std::string& inside = "b") {
  ModelMaker maker;
  maker.node(op, {reads}, {inside}).output(inside);
  return maker.graph();
}

ModelMaker& add_condition(ModelMaker& maker, bool taken) {
  maker.integers("zero", {0}).integers("one", {taken ? 1 : 0});
  return maker.node("Greater", {"one", "zero"}, {"c"});
}

ModelMaker choosing(bool taken) {
  ModelMaker maker;
  add_condition(maker.input("x", {"2"}), taken).node("Neg", {"x"}, {"n"}).node("If", {"c"}, {"y"});
  return maker.with_body("then_branch", branch("Relu", "n")).with_body("else_branch", branch("Abs", "x")).output("y", {"2"});
}

TEST(Branches, OfAKnownConditionAreReadInItsPlace) {
  EXPECT_EQ(operators_of(imported(choosing(true)).graph), "Neg Relu");
  expect_close(evaluated(choosing(true), {{-3, 4}}), {3, 0});
  EXPECT_EQ(operators_of(imported(choosing(false)).graph), "Neg Abs");
  expect_close(evaluated(choosing(false), {{-3, 4}}), {3, 4});
}

TEST(Branches, OfAnUnknownConditionStayABarrier) {
  ModelMaker maker;
  maker.input("x", {"2"}).input("c", {}, 9).node("If", {"c"}, {"y"});
  maker.with_body("then_branch", branch("Relu", "x")).with_body("else_branch", branch("Abs", "x")).output("y", {"2"});
  const auto model = imported(maker);
  EXPECT_EQ(operators_of(model.graph), "?If");
  EXPECT_EQ(model.barriers.begin()->second, "which of its branches it takes is computed");
  EXPECT_EQ(model.graph.nodes().front().inputs.size(), 2u);  // what its branches read of the graph around
}

TEST(Branches, AreChosenByANumberThatAnInputWillHold) {
  constexpr int kI64Code = 7;
  ModelMaker maker;
  maker.input("x", {"2"}).input("rate", {}, kI64Code).integers("fast", {16000}).node("Equal", {"rate", "fast"}, {"c"});
  maker.node("Squeeze", {"c"}, {"is"}).node("If", {"is"}, {"y"});
  maker.with_body("then_branch", branch("Relu", "x")).with_body("else_branch", branch("Abs", "x")).output("y", {"2"});
  const std::string bytes = maker.bytes();
  const auto with = [&](const InputNumbers& numbers) {
    auto model = import_onnx_bytes(std::as_bytes(std::span(bytes)), {}, {}, Weights::kShapesAlone, numbers);
    EXPECT_TRUE(model.ok()) << (model.ok() ? "" : model.error().message);
    return model.ok() ? std::move(model).value() : ImportedModel();
  };
  EXPECT_EQ(operators_of(with({{"rate", 16000}}).graph), "Relu");
  EXPECT_EQ(operators_of(with({{"rate", 8000}}).graph), "Abs");
  EXPECT_EQ(with({{"rate", 8000}}).graph.inputs().size(), 2u);  // it stays an input, and is given when the model runs
  // What the input cannot hold says nothing; neither does a number for what is no small tensor of whole numbers.
  for (const double number : {0.5, 1e300, -1e300}) EXPECT_EQ(with({{"rate", number}, {"x", 1}, {"nobody", 1}}).opaque_nodes, 1);
}

TEST(Branches, AreChosenByLogicOfShapes) {
  const auto chosen = [](const std::string& extent) {
    ModelMaker maker;
    maker.input("x", {extent}).integers("eight", {8}).node("Shape", {"x"}, {"s"}).node("Equal", {"s", "eight"}, {"is"});
    maker.node("Not", {"is"}, {"c"}).node("If", {"c"}, {"y"});
    return maker.with_body("then_branch", branch("Relu", "x")).with_body("else_branch", branch("Abs", "x")).output("y", {extent});
  };
  EXPECT_EQ(operators_of(imported(chosen("8")).graph), "Abs");
  EXPECT_EQ(operators_of(imported(chosen("9")).graph), "Relu");
  EXPECT_EQ(imported(chosen("n")).barriers.begin()->second, "which of its branches it takes is computed");
}

// PyTorch writes squeezes so: by the extent that the axis has.
TEST(Branches, AreChosenByShapes) {
  const auto squeezed = [](const std::string& extent) {
    ModelMaker maker(11);
    maker.input("x", {"4", extent})
        .integers("i", {1})
        .node("Shape", {"x"}, {"s"})
        .node("Gather", {"s", "i"}, {"e"})
        .integers("k", {1});
    maker.node("Equal", {"e", "k"}, {"c"}).node("If", {"c"}, {"y"});
    ModelMaker then(11);
    then.node("Squeeze", {"x"}, {"b"}).with_list("axes", {1}).output("b");
    maker.with_body("then_branch", then.graph()).with_body("else_branch", branch("Identity", "x"));
    return imported(maker.output("y"));
  };
  EXPECT_EQ(output_type(squeezed("1").graph), "f32[4]");
  EXPECT_EQ(output_type(squeezed("3").graph), "f32[4,3]");
  EXPECT_EQ(squeezed("n").opaque_nodes, 1);  // nobody knows
}

TEST(Branches, EndWithTheirNames) {
  ModelMaker maker;
  add_condition(maker.input("x", {"2"}), true).node("If", {"c"}, {"m"});
  maker.with_body("then_branch", branch("Relu", "x")).with_body("else_branch", branch("Abs", "x")).node("If", {"c"}, {"y"});
  maker.with_body("then_branch", branch("Neg", "m")).with_body("else_branch", branch("Abs", "x"));
  EXPECT_EQ(operators_of(imported(maker.output("y")).graph), "Relu Neg");
  ModelMaker peeking;
  add_condition(peeking.input("x", {"2"}), true).node("If", {"c"}, {"m"});
  peeking.with_body("then_branch", branch("Relu", "x")).node("Neg", {"b"}, {"y"}).output("y");
  EXPECT_TRUE(has(error_of(peeking), "reads 'b'")) << error_of(peeking);
}

TEST(Branches, HaveWeightsAndConstantsOfTheirOwn) {
  ModelMaker inner;
  inner.reals("w", {2}, {10, 20}).node("Add", {"x", "w"}, {"b"}).output("b");
  ModelMaker maker;
  add_condition(maker.input("x", {"2"}), true).node("If", {"c"}, {"y"}).with_body("then_branch", inner.graph()).output("y");
  const auto model = imported(maker);
  EXPECT_EQ(operators_of(model.graph), "Add");
  ASSERT_EQ(model.graph.inputs().size(), 2u);
  expect_close(evaluated(model, {{1, 2}, {10, 20}}), {11, 22});
}

TEST(Branches, LieWithinEachOtherAndWithinFunctions) {
  ModelMaker inner;
  inner.node("If", {"c"}, {"b"}).with_body("then_branch", branch("Relu", "x", "deep")).output("b");
  ModelMaker maker;
  add_condition(maker.input("x", {"2"}), true).node("If", {"c"}, {"y"}).with_body("then_branch", inner.graph()).output("y");
  EXPECT_EQ(operators_of(imported(maker).graph), "Relu");
  FunctionMaker chooser("my", "Chooser", {"c", "x"}, {"y"});
  chooser.node("If", {"c"}, {"y"}).with_body("then_branch", branch("Relu", "x")).with_body("else_branch", branch("Abs", "x"));
  ModelMaker calling;
  add_condition(calling.input("in", {"2"}), false).node("Chooser", {"c", "in"}, {"y"}).in_domain("my").output("y");
  chooser.add_to(calling);
  EXPECT_EQ(operators_of(imported(calling).graph), "Abs");
}

TEST(Branches, ThatDoNotFitAreRefused) {
  ModelMaker two;
  add_condition(two.input("x", {"2"}), true).node("If", {"c"}, {"y", "z"}).with_body("then_branch", branch("Relu", "x"));
  EXPECT_TRUE(has(error_of(two.output("y")), "has 2 outputs, and its branch 1"));
  ModelMaker nothing;
  onnx::GraphProto empty;
  empty.add_output()->set_name("b");
  add_condition(nothing.input("x", {"2"}), true).node("If", {"c"}, {"y"}).with_body("then_branch", empty);
  EXPECT_TRUE(has(error_of(nothing.output("y")), "makes nothing called 'b'"));
  ModelMaker taking;
  auto body = branch("Relu", "x");
  body.add_input()->set_name("in");
  add_condition(taking.input("x", {"2"}), true).node("If", {"c"}, {"y"}).with_body("then_branch", body);
  EXPECT_TRUE(has(error_of(taking.output("y")), "has inputs"));
}

}  // namespace
}  // namespace fuselab
