// SPDX-License-Identifier: Apache-2.0
// What a file says about itself, held against what it holds.
#include "model_maker.h"

namespace fuselab {
namespace {

using testing::error_of;
using testing::has;
using testing::imported;
using testing::ModelMaker;
using testing::operators_of;
using testing::output_type;

ModelMaker relu() {
  return ModelMaker().input("x", {"4", "4"}).node("Relu", {"x"}, {"y"});
}

// What a model says that was read all the same.
std::vector<std::string> notes_of(const ModelMaker& maker) {
  const auto model = imported(maker);
  EXPECT_EQ(output_type(model.graph), "f32[4,4]") << "what the operators give";
  return model.notes;
}

// ONNX Runtime runs such files with a warning.
TEST(DeclaredTypes, WrongExtentsAreNotedAndTheOperatorsCount) {
  using Notes = std::vector<std::string>;
  EXPECT_EQ(notes_of(relu().output("y", {"9", "9", "9"})),
            Notes{"output 'y': the file declares f32[9,9,9], but its operators give f32[4,4], which counts"});
  EXPECT_EQ(notes_of(relu().output("y", {"4", "5"})),
            Notes{"output 'y': the file declares f32[4,5], but its operators give f32[4,4], which counts"});
  EXPECT_EQ(notes_of(relu().output("y", {})),
            Notes{"output 'y': the file declares f32[], but its operators give f32[4,4], which counts"});
  ModelMaker between = relu();
  between.node("Exp", {"y"}, {"z"}).output("z");
  ModelMaker::set_type(*between.graph().add_value_info(), "y", {"4", "2", "4"});
  EXPECT_EQ(notes_of(between), Notes{"value 'y': the file declares f32[4,2,4], but its operators give f32[4,4], which counts"});
}

TEST(DeclaredTypes, AnotherElementTypeIsAnErrorThatNamesTheValueAndBothTypes) {
  EXPECT_EQ(error_of(relu().output("y", {"4", "4"}, 7)), "output 'y': the file declares i64[4,4], but its operators give f32[4,4]");
  EXPECT_EQ(error_of(relu().output("y", {}, 8)),
            "output 'y': the file declares ONNX element type 8[], but its operators give f32[4,4]");
  ModelMaker between = relu();
  between.node("Exp", {"y"}, {"z"}).output("z");
  ModelMaker::set_type(*between.graph().add_value_info(), "y", {"4", "4"}, 7);
  EXPECT_EQ(error_of(between), "value 'y': the file declares i64[4,4], but its operators give f32[4,4]");
}

TEST(DeclaredTypes, AnInputIsWhatItsInitializerIs) {
  EXPECT_EQ(error_of(ModelMaker().input("w", {"3"}).weight("w", {2}).node("Relu", {"w"}, {"y"}).output("y")),
            "input 'w': the file declares f32[3], but its initializer is f32[2]");
}

TEST(DeclaredTypes, WhatIsLeftOpenAgreesWithAnything) {
  for (const char* open : {"", "batch", "4", "-1"}) {
    EXPECT_EQ(output_type(imported(relu().output("y", {open, "4"})).graph), "f32[4,4]") << open;
  }
  EXPECT_EQ(output_type(imported(relu().output("y")).graph), "f32[4,4]");
  EXPECT_EQ(output_type(imported(relu().output("y", {"4", "4"}, 0)).graph), "f32[4,4]");
  const auto symbolic = imported(ModelMaker().input("x", {"batch", "4"}).node("Relu", {"x"}, {"y"}).output("y", {"1", "4"}));
  EXPECT_EQ(output_type(symbolic.graph), "f32[batch,4]");
}

TEST(DeclaredData, HoldsAsManyNumbersAsItsType) {
  EXPECT_TRUE(has(error_of(ModelMaker().reals("w", {3}, {1, 2}).node("Relu", {"w"}, {"y"}).output("y")),
                  "initializer 'w': is f32[3], which takes 3 numbers, but the file has 2"));
  ModelMaker raw;
  raw.weight("w", {3}).node("Relu", {"w"}, {"y"}).output("y");
  raw.graph().mutable_initializer(0)->set_raw_data("12345678");
  EXPECT_TRUE(has(error_of(raw), "initializer 'w': is f32[3], which takes 12 bytes, but the file has 8"));
  ModelMaker nibbles;
  nibbles.weight("w", {3}).input("x", {"3"}).node("Relu", {"x"}, {"y"}).output("y");
  nibbles.graph().mutable_initializer(0)->set_data_type(22);
  nibbles.graph().mutable_initializer(0)->set_raw_data("12");
  EXPECT_EQ(error_of(nibbles), "") << "three numbers of four bits are two bytes";
}

TEST(DeclaredNames, AreThere) {
  EXPECT_TRUE(
      has(error_of(ModelMaker().input("", {"3"}).input("x", {"3"}).node("Relu", {"x"}, {"y"}).output("y")), "input without"));
  EXPECT_TRUE(
      has(error_of(ModelMaker().weight("", {3}).input("x", {"3"}).node("Relu", {"x"}, {"y"}).output("y")), "initializer without"));
}

TEST(DeclaredAttributes, AreOfTheirKindAndThereOnce) {
  EXPECT_TRUE(has(error_of(ModelMaker(11).input("x", {"4", "8"}).node("ReduceSum", {"x"}, {"y"}).with("axes", 1).output("y")),
                  "attribute 'axes' must be a list of integers"));
  EXPECT_TRUE(has(error_of(ModelMaker().input("x", {"4", "8"}).node("Softmax", {"x"}, {"y"}).with_list("axis", {1}).output("y")),
                  "attribute 'axis' must be an integer"));
  EXPECT_TRUE(
      has(error_of(ModelMaker().input("x", {"4", "8"}).node("Softmax", {"x"}, {"y"}).with("axis", 1).with("axis", 0).output("y")),
          "attribute 'axis' is given twice"));
  EXPECT_TRUE(
      has(error_of(ModelMaker().input("x", {"4"}).node("Concat", {"x", "x"}, {"y"}).output("y")), "needs the attribute 'axis'"));
  EXPECT_TRUE(has(error_of(ModelMaker(11).input("x", {"4", "8"}).node("Softmax", {"x"}, {"y"}).with("axis", 5).output("y")),
                  "axis 5 is outside rank 2"));
}

TEST(DeclaredOpsets, AreOne) {
  ModelMaker maker = relu();
  maker.model().add_opset_import()->set_version(6);
  EXPECT_TRUE(has(error_of(maker.output("y")), "two versions"));
}

TEST(DeclaredPieces, AreEqualBeforeOpset18) {
  const auto split = [](int opset) {
    return ModelMaker(opset).input("x", {"5"}).node("Split", {"x"}, {"a", "b"}).output("a").output("b");
  };
  EXPECT_TRUE(has(error_of(split(13)), "not equal"));
  EXPECT_EQ(output_type(imported(split(18).with("num_outputs", 2)).graph, 1), "f32[2]");
  EXPECT_TRUE(has(error_of(split(18).with("num_outputs", 3)), "num_outputs is 3"));
}

TEST(DeclaredIndices, AreInsideTheirData) {
  const auto gathered = [](std::int64_t index) {
    return ModelMaker().input("t", {"4", "8"}).integers("i", {index}).node("Gather", {"t", "i"}, {"y"}).output("y");
  };
  EXPECT_EQ(output_type(imported(gathered(-4)).graph), "f32[1,8]");
  EXPECT_TRUE(has(error_of(gathered(4)), "index 4"));
  EXPECT_TRUE(has(error_of(gathered(-5)), "index -5"));
}

// An If reads what its branches read: that stays a value that others write.
TEST(Bodies, ReadTheGraphAroundThem) {
  ModelMaker maker;
  maker.input("c", {}, 9).input("x", {"4"}).node("Relu", {"x"}, {"r"}).node("If", {"c"}, {"y"}).output("y", {"4"});
  for (const char* name : {"then_branch", "else_branch"}) {
    auto& branch = *maker.graph().mutable_node(1)->add_attribute();
    branch.set_name(name);
    branch.set_type(onnx::AttributeProto::GRAPH);
    auto& node = *branch.mutable_g()->add_node();
    node.set_op_type("Exp");
    node.add_input("r");
    node.add_output("inner");
    branch.mutable_g()->add_output()->set_name("inner");
  }
  const auto model = imported(maker);
  EXPECT_EQ(operators_of(model.graph), "Relu Exp Exp Where");
  for (const std::size_t branch : {1u, 2u}) EXPECT_EQ(model.graph.value(model.graph.nodes()[branch].inputs[0]).name, "r");
  // Where a branch is not understood the whole is a barrier that reads what its branches read.
  maker.graph().mutable_node(1)->mutable_attribute(1)->mutable_g()->mutable_node(0)->add_input("nowhere");
  const auto kept = imported(maker);
  EXPECT_EQ(operators_of(kept.graph), "Relu ?If");
  ASSERT_EQ(kept.graph.nodes().back().inputs.size(), 2u);
  EXPECT_EQ(kept.graph.value(kept.graph.nodes().back().inputs[1]).name, "r");
}

TEST(OutputNames, AreThoseOfTheFileWhoeverHandsThemOn) {
  ModelMaker inside;
  inside.node("Relu", {"x"}, {"inner"}).output("inner");
  ModelMaker maker;
  maker.input("x", {"2"})
      .integers("zero", {0})
      .integers("one", {1})
      .node("Greater", {"one", "zero"}, {"c"})
      .node("If", {"c"}, {"y"});
  maker.with_body("then_branch", inside.graph()).with_body("else_branch", inside.graph());
  maker.node("Identity", {"y"}, {"z"}).node("Identity", {"x"}, {"same"}).output("z").output("y").output("same");
  const auto model = imported(maker);
  std::vector<std::string> names;
  for (const ValueId output : model.graph.outputs()) names.push_back(model.graph.value(output).name);
  EXPECT_EQ(names, (std::vector<std::string>{"z", "y", "same"}));
}

}  // namespace
}  // namespace fuselab
