// SPDX-License-Identifier: Apache-2.0
// What a node's attributes say is taken or makes it a barrier; nothing of it is passed over.
#include <limits>
#include <regex>
#include <set>
#include <sstream>

#include "core/import/nodes/operators.h"
#include "evaluated.h"
#include "model_maker.h"

namespace fuselab {
namespace {

using testing::evaluated;
using testing::expect_close;
using testing::imported;
using testing::ModelMaker;
using testing::operators_of;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

ModelMaker one_node(const std::string& op, int opset = 23) {
  const std::size_t dot = op.rfind('.');  // behind a domain
  ModelMaker maker(opset);
  maker.input("x", {"2", "4", "4", "8"}).node(op.substr(dot == std::string::npos ? 0 : dot + 1), {"x"}, {"y"});
  if (dot != std::string::npos) maker.in_domain(op.substr(0, dot));
  return maker.output("y", {"2", "4", "4", "8"});
}

// Why the node is a barrier; "" when it is none.
std::string because(const ModelMaker& maker) {
  const auto model = imported(maker);
  return model.barriers.empty() ? "" : model.barriers.begin()->second;
}

TEST(NodeAttributes, AnInventedOneMakesEveryOperatorABarrier) {
  for (const onnx::OperatorRow& row : onnx::all_operators()) {
    const std::string op(row.name);
    EXPECT_EQ(because(one_node(op).with("invented", 3)), "its attribute 'invented' is not known") << op;
  }
}

TEST(OperatorRows, EachOperatorHasOne) {
  std::set<std::string_view> names;
  for (const onnx::OperatorRow& row : onnx::all_operators()) EXPECT_TRUE(names.insert(row.name).second) << row.name;
  EXPECT_GE(names.size(), 150U);
  EXPECT_EQ(onnx::find_operator("NobodysOperator"), nullptr);
}

TEST(OperatorRows, NameTheKindOfEachAttribute) {
  const std::regex form("[A-Za-z_0-9]+:[ifstgIFSp](@[0-9]+-[0-9]*)?");
  for (const onnx::OperatorRow& row : onnx::all_operators()) {
    std::istringstream attributes{std::string(row.attributes)};
    for (std::string attribute; attributes >> attribute;)
      EXPECT_TRUE(std::regex_match(attribute, form)) << row.name << ": " << attribute;
  }
}

TEST(NodeAttributes, ThoseOfAnotherOpsetDoNotCount) {
  EXPECT_EQ(because(one_node("Clip", 13).with("min", 0)), "its attribute 'min' is not one of opset 13");
  EXPECT_EQ(because(one_node("Dropout", 13).with("is_test", 0)), "its attribute 'is_test' is not one of opset 13");
  EXPECT_EQ(because(one_node("Add", 13).with("broadcast", 1)), "its attribute 'broadcast' is not one of opset 13");
  EXPECT_EQ(because(one_node("Shape", 14).with("start", 1)), "its attribute 'start' is not one of opset 14");
  EXPECT_EQ(because(one_node("SpaceToDepth", 13).with("blocksize", 2).with_text("mode", "CRD")),
            "its attribute 'mode' is not one of opset 13");
  EXPECT_EQ(because(one_node("Relu", 5).with_list("consumed_inputs", {0})), "");
}

TEST(NodeAttributes, ThoseOfAnOlderOpsetThatChangeNothingMayStay) {
  for (const char* const op : {"Relu", "Clip", "Elu"})
    EXPECT_EQ(because(one_node(op, 13).with_list("consumed_inputs", {0})), "") << op;
  EXPECT_EQ(because(one_node("Relu", 13).with("consumed_inputs", 0)), "its attribute 'consumed_inputs' is not a list of integers");
  EXPECT_EQ(because(one_node("Conv", 13).with_list("consumed_inputs", {0})), "its attribute 'consumed_inputs' is not known");
  EXPECT_EQ(because(one_node("Dropout", 13).with("is_test", 1)), "");
  EXPECT_EQ(because(one_node("Dropout", 13).with_real("ratio", 0.25F)), "");
  // Where it may train its ratio is operand 1, and is_test would contradict it.
  const auto training = [] {
    return ModelMaker(13).input("x", {"4"}).number("r", 0.5F).flag("t", true).node("Dropout", {"x", "r", "t"}, {"y"}).output("y");
  };
  EXPECT_EQ(because(training()), "");
  EXPECT_EQ(because(training().with_real("ratio", 0.25F)), "its attribute 'ratio' is not one of opset 13");
  EXPECT_EQ(because(training().with("is_test", 1)), "its attribute 'is_test' is not one of opset 13");
  const auto normalised = [] {
    return ModelMaker(15)
        .input("x", {"2", "3"})
        .weight("s", {3})
        .weight("b", {3})
        .weight("m", {3})
        .weight("v", {3})
        .node("BatchNormalization", {"x", "s", "b", "m", "v"}, {"y"})
        .output("y");
  };
  EXPECT_EQ(because(normalised().with("is_test", 1)), "");
  EXPECT_EQ(because(normalised().with("is_test", 1).with("training_mode", 1)), "its attribute 'is_test' is not one of opset 15");
}

TEST(NodeAttributes, OneOfAnotherKindIsNotTakenForItsDefault) {
  EXPECT_EQ(because(one_node("Trilu").with_text("upper", "0")), "its attribute 'upper' is not an integer");
  EXPECT_EQ(because(one_node("Gelu").with("approximate", 1)), "its attribute 'approximate' is not a text");
  EXPECT_EQ(because(one_node("Elu").with_text("alpha", "2")), "its attribute 'alpha' is not a real number");
  EXPECT_EQ(because(one_node("Elu").with("alpha", 2)), "its attribute 'alpha' is not a real number");
}

TEST(NodeAttributes, WhatToolsRememberChangesNothing) {
  EXPECT_EQ(operators_of(imported(one_node("Relu").with_text("__origin", "layer 3")).graph), "Relu");
}

TEST(NodeAttributes, SpaceToDepthHasTwoOrdersSinceOpset28) {
  const auto cut = [](const char* mode) {
    return evaluated(ModelMaker(28)
                         .input("x", {"1", "2", "2", "2"})
                         .node("SpaceToDepth", {"x"}, {"y"})
                         .with("blocksize", 2)
                         .with_text("mode", mode)
                         .output("y"),
                     {{0, 1, 2, 3, 4, 5, 6, 7}});
  };
  expect_close(cut("DCR"), {0, 4, 1, 5, 2, 6, 3, 7});
  expect_close(cut("CRD"), {0, 1, 2, 3, 4, 5, 6, 7});
}

TEST(NodeAttributes, ACastToAnEightBitFloatSaturatesUnlessItSaysOtherwise) {
  constexpr int kF8E4M3 = 17, kF8E5M2 = 19;
  const auto cast = [](int to) { return ModelMaker(19).input("x", {"5"}).node("Cast", {"x"}, {"y"}).with("to", to); };
  const std::vector<std::vector<double>> numbers{{1e6, -1e6, kInfinity, 49152, 1.5}};
  expect_close(evaluated(cast(kF8E5M2).output("y"), numbers), {57344, -57344, 57344, 49152, 1.5});
  expect_close(evaluated(cast(kF8E4M3).output("y"), numbers), {448, -448, 448, 448, 1.5});
  // An infinity is then what our own cast makes of what is too large.
  EXPECT_EQ(operators_of(imported(cast(kF8E5M2).with("saturate", 0).output("y")).graph), "Cast");
  EXPECT_EQ(because(cast(kF8E4M3).with("saturate", 0).output("y")), "it casts without saturation");
}

}  // namespace
}  // namespace fuselab
