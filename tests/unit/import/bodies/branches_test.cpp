// SPDX-License-Identifier: Apache-2.0
// Of an If whose condition is known the branch that it takes is read in its place.
#include "core/fusion/partition/fusion_engine.h"
#include "tests/unit/import/evaluated.h"
#include "tests/unit/import/function_maker.h"

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
  const auto model = imported(choosing(true));
  EXPECT_EQ(operators_of(model.graph), "Neg Relu");
  EXPECT_EQ(model.graph.value(model.graph.outputs().front()).name, "y");
  expect_close(evaluated(choosing(true), {{-3, 4}}), {3, 0});
  EXPECT_EQ(operators_of(imported(choosing(false)).graph), "Abs") << "nobody reads the other branch's operand";
  expect_close(evaluated(choosing(false), {{-3, 4}}), {3, 4});
}

// y = If(c) of two branches over x.
ModelMaker undecided(const onnx::GraphProto& yes, const onnx::GraphProto& no) {
  ModelMaker maker;
  maker.input("x", {"2"}).input("c", {}, 9).node("If", {"c"}, {"y"});
  return maker.with_body("then_branch", yes).with_body("else_branch", no).output("y", {"2"});
}

TEST(Branches, OfAnUnknownConditionAreBothRead) {
  const ModelMaker maker = undecided(branch("Relu", "x"), branch("Abs", "x"));
  const auto model = imported(maker);
  EXPECT_EQ(operators_of(model.graph), "Relu Abs Where");
  EXPECT_EQ(model.opaque_nodes, 0);
  EXPECT_EQ(model.graph.value(model.graph.outputs().front()).name, "y");
  ASSERT_EQ(model.imported.either.size(), 1u);
  EXPECT_EQ(model.imported.either.front().node, "node 'n_y'");
  EXPECT_EQ(model.imported.either.front().then_branch.operators, 1);
  EXPECT_EQ(model.imported.either.front().else_branch.operators, 1);
  expect_close(evaluated(maker, {{-3, 4}, {1}}), {0, 4});
  expect_close(evaluated(maker, {{-3, 4}, {0}}), {3, 4});
}

TEST(Branches, ArePiecesOfTheirOwn) {
  ModelMaker yes, no;
  yes.node("Relu", {"m"}, {"a"}).node("Neg", {"a"}, {"b"}).output("b");
  no.node("Abs", {"m"}, {"d"}).node("Exp", {"d"}, {"e"}).output("e");
  ModelMaker maker;
  maker.input("x", {"2"}).input("c", {}, 9).node("Tanh", {"x"}, {"m"}).node("If", {"c"}, {"h"});
  maker.with_body("then_branch", yes.graph()).with_body("else_branch", no.graph()).node("Sqrt", {"h"}, {"y"}).output("y");
  const auto model = imported(maker);
  EXPECT_EQ(operators_of(model.graph), "Tanh Relu Neg Abs Exp Where Sqrt");
  const auto fusion = fuse(model.graph, options_for(OptimizationLevel::kO2));
  ASSERT_TRUE(fusion.ok());
  std::vector<std::string> pieces;
  for (const FusedOperation& piece : fusion.value().operations) pieces.push_back(operators_of(piece.graph));
  EXPECT_EQ(pieces, (std::vector<std::string>{"Tanh", "Relu Neg", "Abs Exp", "Where Sqrt"}));
  EXPECT_GE(fusion.value().rejected.size(), 4u);
  for (const FusionRejected& pair : fusion.value().rejected) EXPECT_TRUE(has(pair.reason, "branch of an If")) << pair.reason;
}

TEST(Branches, ThatDifferInTypeStayABarrierBehindTheirPieces) {
  ModelMaker no;
  no.integers("axes", {0}).node("Unsqueeze", {"x", "axes"}, {"u"}).node("Abs", {"u"}, {"v"}).output("v");
  const auto model = imported(undecided(branch("Relu", "x"), no.graph()));
  EXPECT_EQ(operators_of(model.graph), "Relu Unsqueeze Abs ?If");
  EXPECT_EQ(model.barriers.begin()->second, "which of its branches it takes is computed, and what they give differs in type");
  EXPECT_EQ(output_type(model.graph), "f32[2]");  // as the file declares it
  EXPECT_EQ(model.opaque_nodes, 1);
}

TEST(Branches, OfWhichOneDoesNotHoldTogetherAreABarrier) {
  const auto model = imported(undecided(branch("Relu", "x"), branch("Abs", "nowhere")));
  EXPECT_EQ(operators_of(model.graph), "?If");
  EXPECT_TRUE(has(model.barriers.begin()->second, "reads 'nowhere'"));
  EXPECT_EQ(model.nodes, 1);
  EXPECT_TRUE(model.imported.either.empty());
}

TEST(Branches, WithoutAConditionAreABarrierOrAnError) {
  ModelMaker maker;
  maker.input("x", {"2"}).node("If", {""}, {"y"});
  maker.with_body("then_branch", branch("Relu", "x")).with_body("else_branch", branch("Abs", "x")).output("y", {"2"});
  const std::string bytes = maker.bytes();
  const auto model = import_onnx_bytes(std::as_bytes(std::span(bytes)), {});
  EXPECT_TRUE(!model.ok() || model.value().opaque_nodes == 1);
}

TEST(Branches, MayGiveSeveralResultsAndConstants) {
  ModelMaker yes, no;
  yes.reals("k", {2}, {1, 2}).node("Neg", {"x"}, {"b"}).output("k").output("b");
  no.reals("k", {2}, {3, 4}).node("Abs", {"x"}, {"b"}).output("k").output("b");
  ModelMaker maker;
  maker.input("x", {"2"}).input("c", {"1"}, 9).node("If", {"c"}, {"k0", "y"});
  maker.with_body("then_branch", yes.graph()).with_body("else_branch", no.graph()).node("Add", {"k0", "y"}, {"z"}).output("z");
  const auto model = imported(maker);
  ASSERT_EQ(model.graph.inputs().size(), 4u);
  EXPECT_NE(model.graph.value(model.graph.inputs()[2]).name, model.graph.value(model.graph.inputs()[3]).name);
  expect_close(evaluated(model, {{-5, 6}, {0}, {1, 2}, {3, 4}}), {8, 10});
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
  for (const double number : {0.5, 1e300, -1e300})
    EXPECT_EQ(with({{"rate", number}, {"x", 1}, {"nobody", 1}}).imported.either.size(), 1u);
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
  EXPECT_EQ(imported(chosen("n")).imported.either.size(), 1u);  // until n has a number
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
  EXPECT_EQ(squeezed("n").imported.either.size(), 1u);  // nobody knows
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
