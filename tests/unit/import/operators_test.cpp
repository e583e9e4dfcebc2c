// SPDX-License-Identifier: Apache-2.0
#include "core/graph/graph_text.h"
#include "evaluated.h"

namespace fuselab {
namespace {

using testing::imported;
using testing::ModelMaker;
using testing::operators_of;
using testing::output_type;

TEST(OnnxImport, NamesSymbolsWeightsAndOutputsAreKept) {
  const auto model = imported(ModelMaker()
                                  .input("x", {"batch", "16"})
                                  .weight("w", {16, 32})
                                  .node("MatMul", {"x", "w"}, {"m"})
                                  .node("Relu", {"m"}, {"y"})
                                  .output("y", {"batch", "32"}));
  EXPECT_EQ(operators_of(model.graph), "MatMul Relu");
  EXPECT_EQ(output_type(model.graph), "f32[batch,32]");
  EXPECT_EQ(model.graph.symbols(), std::vector<std::string>{"batch"});
  EXPECT_EQ(model.graph.nodes()[0].name, "n_m");
  ASSERT_EQ(model.graph.inputs().size(), 2u);
  EXPECT_EQ(model.graph.value(model.graph.inputs()[1]).origin, ValueOrigin::kParam);
  EXPECT_EQ(model.nodes, 2);
  EXPECT_EQ(model.opaque_nodes, 0);
  EXPECT_DOUBLE_EQ(model.covered_share(), 1.0);
}

TEST(OnnxImport, ScalarInitializersBecomeImmediates) {
  const auto model = imported(ModelMaker().input("x", {"8"}).number("half", 0.5f).node("Mul", {"x", "half"}, {"y"}).output("y"));
  EXPECT_EQ(model.graph.inputs().size(), 1u);
  EXPECT_NE(canonical_text(model.graph).find("0.5"), std::string::npos) << canonical_text(model.graph);
}

TEST(OnnxImport, ReductionAxesComeAsAttributeOrAsInput) {
  const auto attribute = imported(ModelMaker(11)
                                      .input("x", {"4", "8"})
                                      .node("ReduceSum", {"x"}, {"y"})
                                      .with_list("axes", {-1})
                                      .with("keepdims", 0)
                                      .output("y"));
  EXPECT_EQ(output_type(attribute.graph), "f32[4]");
  const auto input =
      imported(ModelMaker(18).input("x", {"4", "8"}).integers("axes", {0}).node("ReduceMean", {"x", "axes"}, {"y"}).output("y"));
  EXPECT_EQ(output_type(input.graph), "f32[1,8]");
}

TEST(OnnxImport, ViewsTakeAxesFromEitherPlace) {
  EXPECT_EQ(
      output_type(
          imported(ModelMaker(11).input("x", {"1", "8"}).node("Squeeze", {"x"}, {"y"}).with_list("axes", {0}).output("y")).graph),
      "f32[8]");
  EXPECT_EQ(
      output_type(
          imported(ModelMaker(13).input("x", {"8"}).integers("a", {1}).node("Unsqueeze", {"x", "a"}, {"y"}).output("y")).graph),
      "f32[8,1]");
}

TEST(OnnxImport, ClipBoundsComeAsInputs) {
  const auto model = imported(
      ModelMaker().input("x", {"8"}).number("lo", 0.0f).number("hi", 6.0f).node("Clip", {"x", "lo", "hi"}, {"y"}).output("y"));
  ASSERT_EQ(operators_of(model.graph), "Clip");
  EXPECT_DOUBLE_EQ(model.graph.nodes().back().attributes.real("max", 0), 6.0);
}

TEST(OnnxImport, SliceAndSplitInBothSpellings) {
  EXPECT_EQ(output_type(imported(ModelMaker()
                                     .input("x", {"4", "8"})
                                     .integers("s", {2})
                                     .integers("e", {INT64_MAX})
                                     .integers("a", {1})
                                     .node("Slice", {"x", "s", "e", "a"}, {"y"})
                                     .output("y"))
                            .graph),
            "f32[4,6]");
  EXPECT_EQ(output_type(imported(ModelMaker(9)
                                     .input("x", {"4", "8"})
                                     .node("Slice", {"x"}, {"y"})
                                     .with_list("starts", {0})
                                     .with_list("ends", {-1})
                                     .with_list("axes", {1})
                                     .output("y"))
                            .graph),
            "f32[4,7]");
  const auto split = imported(ModelMaker()
                                  .input("x", {"4", "8"})
                                  .integers("sizes", {2, 6})
                                  .node("Split", {"x", "sizes"}, {"a", "b"})
                                  .with("axis", 1)
                                  .output("a")
                                  .output("b"));
  EXPECT_EQ(output_type(split.graph, 1), "f32[4,6]");
}

TEST(OnnxImport, ShapeArithmeticIsFoldedThroughSymbols) {
  // What PyTorch writes for x.view(x.size(0), x.size(1), 12, 64).
  const auto model = imported(ModelMaker()
                                  .input("x", {"batch", "seq", "768"})
                                  .integers("zero", {0})
                                  .integers("one", {1})
                                  .integers("heads", {12})
                                  .integers("depth", {64})
                                  .node("Shape", {"x"}, {"s"})
                                  .node("Gather", {"s", "zero"}, {"b"})
                                  .node("Gather", {"s", "one"}, {"q"})
                                  .node("Concat", {"b", "q", "heads", "depth"}, {"t"})
                                  .with("axis", 0)
                                  .node("Reshape", {"x", "t"}, {"y"})
                                  .output("y"));
  EXPECT_EQ(operators_of(model.graph), "Reshape");
  EXPECT_EQ(output_type(model.graph), "f32[batch,seq,12,64]");
  EXPECT_EQ(model.nodes, 1);
  ASSERT_EQ(model.imported.fold_notes.size(), 4u) << "each operator that is none any more is named";
  EXPECT_EQ(model.imported.fold_notes.front(), "Shape 'n_s' folded: its result is known before the model runs");
  EXPECT_EQ(model.imported.fold_count(), 4);
}

TEST(OnnxImport, WhatOnlyPassesItsOperandOnIsNoted) {
  const auto model = imported(ModelMaker()
                                  .input("x", {"8"})
                                  .node("Relu", {"x"}, {"r"})
                                  .node("Cast", {"r"}, {"i"})
                                  .with("to", 1)
                                  .node("Exp", {"i"}, {"y"})
                                  .output("y"));
  EXPECT_EQ(operators_of(model.graph), "Relu Exp");
  EXPECT_EQ(model.imported.fold_notes, std::vector<std::string>{"Cast 'n_i' folded: its result is its operand"});
  EXPECT_EQ(model.imported.passed_on, 1);
}

TEST(OnnxImport, DropoutIsNothingAtInference) {
  EXPECT_EQ(operators_of(imported(ModelMaker().input("x", {"8"}).node("Dropout", {"x"}, {"y", "mask"}).output("y")).graph),
            "Identity");
}

TEST(OnnxImport, OldSoftmaxTakesAllAxesFromItsOwnOnAsOne) {
  const auto last = imported(ModelMaker(11).input("x", {"4", "8"}).node("Softmax", {"x"}, {"y"}).output("y", {"4", "8"}));
  EXPECT_EQ(operators_of(last.graph), "Softmax");
  const auto several =
      imported(ModelMaker(11).input("x", {"4", "8", "2"}).node("Softmax", {"x"}, {"y"}).output("y", {"4", "8", "2"}));
  EXPECT_EQ(operators_of(several.graph), "Flatten Softmax Reshape");
  EXPECT_EQ(output_type(several.graph), "f32[4,8,2]");
  testing::expect_close(testing::evaluated(several, {std::vector<double>(64, 3.0)}), std::vector<double>(64, 1.0 / 16));
  const auto symbols =
      imported(ModelMaker(11).input("x", {"a", "b", "c"}).node("Softmax", {"x"}, {"s"}).node("Neg", {"s"}, {"y"}).output("y"));
  EXPECT_EQ(operators_of(symbols.graph), "?Softmax Neg");
  EXPECT_EQ(output_type(symbols.graph), "f32[a,b,c]");
}

TEST(OnnxImport, SamePaddingIsWrittenOut) {
  const auto model = imported(ModelMaker()
                                  .input("x", {"1", "3", "15", "15"})
                                  .weight("w", {8, 3, 3, 3})
                                  .node("Conv", {"x", "w"}, {"y"})
                                  .with_text("auto_pad", "SAME_UPPER")
                                  .with_list("strides", {2, 2})
                                  .output("y"));
  EXPECT_EQ(output_type(model.graph), "f32[1,8,8,8]");
}

TEST(OnnxImport, ValidPaddingIsNoneWhateverPadsSays) {
  const auto model = imported(ModelMaker()
                                  .input("x", {"1", "3", "15", "15"})
                                  .weight("w", {8, 3, 3, 3})
                                  .node("Conv", {"x", "w"}, {"y"})
                                  .with_text("auto_pad", "VALID")
                                  .with_list("pads", {1, 1, 1, 1})
                                  .output("y"));
  EXPECT_EQ(output_type(model.graph), "f32[1,8,13,13]");
}

TEST(OnnxImport, LegacyBroadcastLinesUpFromItsAxis) {
  const auto model = imported(ModelMaker(6)
                                  .input("x", {"2", "3", "4"})
                                  .weight("b", {3})
                                  .node("Add", {"x", "b"}, {"y"})
                                  .with("broadcast", 1)
                                  .with("axis", 1)
                                  .output("y"));
  EXPECT_EQ(operators_of(model.graph), "Unsqueeze Add");
}

TEST(OnnxImport, RandomNodesAreWeights) {
  const auto model = imported(ModelMaker()
                                  .input("x", {"4", "8"})
                                  .node("RandomNormal", {}, {"w"})
                                  .with_list("shape", {8, 2})
                                  .node("MatMul", {"x", "w"}, {"y"})
                                  .output("y"));
  EXPECT_EQ(operators_of(model.graph), "MatMul");
  EXPECT_EQ(model.nodes, 1);
}

TEST(OnnxImport, UnknownOperatorsAreBarriersWithTheirDeclaredShape) {
  ModelMaker maker;
  maker.input("x", {"8"}).node("Exp", {"x"}, {"e"}).node("Wonder", {"e"}, {"o"}).node("Relu", {"o"}, {"y"}).output("y");
  ModelMaker::set_type(*maker.graph().add_value_info(), "o", {"8"});
  const auto model = imported(maker);
  EXPECT_EQ(operators_of(model.graph), "Exp ?Wonder Relu");
  EXPECT_EQ(model.opaque_nodes, 1);
  EXPECT_EQ(model.opaque_types, std::vector<std::string>{"Wonder"});
  EXPECT_NEAR(model.covered_share(), 2.0 / 3.0, 1e-12);
}

TEST(OnnxImport, WithoutValueInfoWhatFollowsABarrierIsOne) {
  const auto model =
      imported(ModelMaker().input("x", {"8"}).node("Wonder", {"x"}, {"o"}).node("Relu", {"o"}, {"y"}).output("y", {"8"}));
  EXPECT_EQ(operators_of(model.graph), "?Wonder ?Relu");
  EXPECT_EQ(model.barriers, (std::map<NodeId, std::string>{{NodeId{0}, "the operator is not known"},
                                                           {NodeId{1}, "it reads a tensor whose type is not known"}}));
  ASSERT_EQ(model.notes.size(), 1u) << "one for the cause, none for what it takes along";
  EXPECT_NE(model.notes[0].find("n_o"), std::string::npos);
  EXPECT_NE(model.notes[0].find("1 operator behind it is a barrier too"), std::string::npos) << model.notes[0];
}

TEST(OnnxImport, EachCauseCountsWhatItTakesAlong) {
  ModelMaker maker;
  maker.input("x", {"8"}).node("Wonder", {"x"}, {"a"}).node("Marvel", {"x"}, {"b"});
  maker.node("Relu", {"a"}, {"c"}).node("Exp", {"c"}, {"d"}).node("Tanh", {"b"}, {"e"}).node("Add", {"d", "e"}, {"y"}).output("y");
  const auto model = imported(maker);
  EXPECT_EQ(model.opaque_nodes, 6);
  ASSERT_EQ(model.notes.size(), 2u);
  EXPECT_NE(model.notes[0].find("3 operators behind it are barriers too"), std::string::npos) << model.notes[0];
  EXPECT_NE(model.notes[1].find("1 operator behind it is a barrier too"), std::string::npos) << model.notes[1];
}

TEST(OnnxImport, QuestionMarksAreExtentsOfTheirOwn) {
  const auto model = imported(ModelMaker().input("x", {"?", "3", "?"}).node("Relu", {"x"}, {"y"}).output("y"));
  const Shape& shape = model.graph.type(model.graph.inputs().front()).shape;
  ASSERT_EQ(shape.size(), 3u);
  ASSERT_TRUE(shape[0].is_symbol() && shape[2].is_symbol());
  EXPECT_NE(shape[0].name(), shape[2].name());
}

// Valid: the file says nothing of ONNX's own operators because it uses none.
TEST(OnnxImport, AModelOfAnotherDomainAloneIsMadeOfBarriers) {
  ModelMaker maker;
  maker.model().clear_opset_import();
  auto& opset = *maker.model().add_opset_import();
  opset.set_domain("ai.onnx.preview.training");
  opset.set_version(1);
  maker.input("r", {}).input("x", {"8"}).input("g", {"8"}).node("Adagrad", {"r", "x", "g"}, {"y"}).output("y", {"8"});
  maker.graph().mutable_node(0)->set_domain("ai.onnx.preview.training");
  const auto model = imported(maker);
  EXPECT_EQ(operators_of(model.graph), "?ai.onnx.preview.training.Adagrad");
  EXPECT_EQ(output_type(model.graph), "f32[8]");
  EXPECT_EQ(model.opaque_nodes, 1);
  EXPECT_DOUBLE_EQ(model.covered_share(), 0.0);
}

TEST(OnnxImport, OperatorsOfAnUndeclaredOpsetAreBarriersToo) {
  ModelMaker maker;
  maker.model().clear_opset_import();
  maker.model().add_opset_import()->set_domain("ai.onnx.ml");
  const auto model = imported(maker.input("x", {"8"}).node("Relu", {"x"}, {"y"}).output("y", {"8"}));
  EXPECT_EQ(operators_of(model.graph), "?Relu");
  ASSERT_EQ(model.notes.size(), 1u);
  EXPECT_NE(model.notes[0].find("opset_import"), std::string::npos);
}

TEST(OnnxImport, UnknownAttributesMakeABarrierInsteadOfAGuess) {
  const auto model = imported(ModelMaker().input("x", {"8"}).node("Relu", {"x"}, {"y"}).with("leak", 3).output("y", {"8"}));
  EXPECT_EQ(operators_of(model.graph), "?Relu");
}

}  // namespace
}  // namespace fuselab
