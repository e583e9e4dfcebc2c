// SPDX-License-Identifier: Apache-2.0
// LSTM, GRU and RNN of files: operands that are left out, activations with their numbers, layouts, and what stays a barrier.
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

constexpr int kI32Code = 6;

ModelMaker lstm(const std::vector<std::string>& more = {}, int opset = 17) {
  std::vector<std::string> inputs = {"x", "w", "r"};
  inputs.insert(inputs.end(), more.begin(), more.end());
  return ModelMaker(opset)
      .input("x", {"steps", "batch", "3"})
      .input("lengths", {"batch"}, kI32Code)
      .input("h", {"1", "batch", "2"})
      .input("c", {"1", "batch", "2"})
      .weight("w", {1, 8, 3})
      .weight("r", {1, 8, 2})
      .weight("b", {1, 16})
      .weight("p", {1, 6})
      .node("LSTM", inputs, {"y", "last", "cell"});
}

ModelMaker& with_texts(ModelMaker& maker, const std::vector<std::string>& values) {
  auto& added = *maker.graph().mutable_node(maker.graph().node_size() - 1)->add_attribute();
  added.set_name("activations");
  added.set_type(onnx::AttributeProto::STRINGS);
  for (const auto& value : values) added.add_strings(value);
  return maker;
}

ModelMaker& with_reals(ModelMaker& maker, const std::string& name, const std::vector<float>& values) {
  auto& added = *maker.graph().mutable_node(maker.graph().node_size() - 1)->add_attribute();
  added.set_name(name);
  added.set_type(onnx::AttributeProto::FLOATS);
  for (const float value : values) added.add_floats(value);
  return maker;
}

std::string attribute_of(const ImportedModel& model, const std::string& name) {
  return model.graph.nodes().back().attributes.text(name, "none");
}

std::string note_of(ModelMaker& maker) {
  const auto model = imported(maker);
  return model.notes.empty() ? "" : model.notes.front();
}

TEST(ImportRecurrence, OperandsThatAreLeftOutAreNotThere) {
  const auto plain = imported(lstm().output("y"));
  EXPECT_EQ(operators_of(plain.graph), "LSTM");
  EXPECT_EQ(output_type(plain.graph), "f32[steps,1,batch,2]");
  EXPECT_EQ(attribute_of(plain, "operands"), "none");
  EXPECT_EQ(plain.opaque_nodes, 0);
  const auto some = imported(lstm({"", "", "h", "", "p"}).output("last"));
  EXPECT_EQ(attribute_of(some, "operands"), "initial_h P");
  EXPECT_EQ(output_type(some.graph), "f32[1,batch,2]");
  EXPECT_EQ(attribute_of(imported(lstm({"b", "lengths", "h", "c"}).output("cell")), "operands"),
            "B sequence_lens initial_h initial_c");
}

TEST(ImportRecurrence, ActivationsTakeTheirNumbersInTurn) {
  ModelMaker maker = lstm().output("y");
  with_texts(maker, {"HardSigmoid", "TANH", "leakyrelu"});
  with_reals(maker, "activation_alpha", {0.25F, 0.02F});
  with_reals(maker, "activation_beta", {0.4F});
  EXPECT_EQ(attribute_of(imported(maker), "activations"), "HardSigmoid:0.25:0.4 Tanh LeakyRelu:0.02");
  ModelMaker usual = lstm().output("y");
  with_texts(usual, {"Sigmoid", "Tanh", "Tanh"});
  EXPECT_EQ(attribute_of(imported(usual), "activations"), "Sigmoid Tanh Tanh");
}

TEST(ImportRecurrence, WhatIsNotUnderstoodIsABarrierThatSaysWhy) {
  ModelMaker unknown = lstm().output("y", {"4", "1", "2", "2"});
  EXPECT_TRUE(has(note_of(with_texts(unknown, {"Sigmoid", "Tanh", "Cosh"})), "its activation 'Cosh' is not known"));
  ModelMaker few = lstm().output("y", {"4", "1", "2", "2"});
  EXPECT_TRUE(has(note_of(with_texts(few, {"Sigmoid", "Tanh"})), "it has 2 activations, and its directions take 3"));
  ModelMaker old = lstm({}, 1).output("y", {"4", "1", "2", "2"});
  EXPECT_TRUE(has(note_of(old), "at opset 1"));
}

TEST(ImportRecurrence, WhatDoesNotFitIsAnError) {
  EXPECT_TRUE(has(error_of(lstm().with("hidden_size", 5).output("y")), "its hidden_size is 5, and R is [1,8,2]"));
  EXPECT_TRUE(has(error_of(ModelMaker().input("x", {"3", "2", "3"}).node("LSTM", {"x"}, {"y"}).output("y")), "lacks operand 1"));
  EXPECT_TRUE(has(error_of(ModelMaker()
                               .input("x", {"3", "2", "3"})
                               .weight("w", {1, 8, 4})
                               .weight("r", {1, 8, 2})
                               .node("LSTM", {"x", "w", "r"}, {"y"})
                               .output("y")),
                  "W must be [1,8,3]"));
}

TEST(ImportRecurrence, ExtentsThatNobodyCanCountAreRefused) {
  const auto huge = ModelMaker()
                        .input("x", {"1", "1", "1"})
                        .input("w", {"1", "8", "1"})
                        .input("r", {"1", "8", "4611686018427387904"})
                        .node("GRU", {"x", "w", "r"}, {"y"})
                        .output("y")
                        .import();
  ASSERT_FALSE(huge.ok());
}

TEST(ImportRecurrence, SequencesFirstIsTurned) {
  const auto model = imported(ModelMaker()
                                  .input("x", {"batch", "steps", "3"})
                                  .weight("w", {1, 6, 3})
                                  .weight("r", {1, 6, 2})
                                  .node("GRU", {"x", "w", "r"}, {"y", "last"})
                                  .with("layout", 1)
                                  .output("y")
                                  .output("last"));
  EXPECT_EQ(operators_of(model.graph), "Transpose GRU Transpose Transpose");
  EXPECT_EQ(output_type(model.graph, 0), "f32[batch,steps,1,2]");
  EXPECT_EQ(output_type(model.graph, 1), "f32[batch,1,2]");
}

}  // namespace
}  // namespace fuselab
