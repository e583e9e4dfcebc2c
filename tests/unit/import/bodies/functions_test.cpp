// SPDX-License-Identifier: Apache-2.0
// Functions of the model are read in the place of their calls.
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

// y = a * x + b, as two nodes.
FunctionMaker scaled() {
  FunctionMaker maker("my", "Scaled", {"x", "a", "b"}, {"y"});
  maker.node("Mul", {"x", "a"}, {"t"}).node("Add", {"t", "b"}, {"y"});
  return maker;
}

TEST(Functions, AreReadAtEachOfTheirCalls) {
  ModelMaker maker;
  maker.input("x", {"2"}).number("two", 2).number("three", 3);
  maker.node("Scaled", {"x", "two", "three"}, {"m"}).in_domain("my").node("Scaled", {"m", "three", "two"}, {"y"}).in_domain("my");
  scaled().add_to(maker.output("y", {"2"}));
  const auto model = imported(maker);
  EXPECT_EQ(operators_of(model.graph), "Mul Add Mul Add");
  EXPECT_EQ(model.nodes, 4);
  EXPECT_EQ(model.opaque_nodes, 0);
  expect_close(evaluated(model, {{1, -2}}), {17, -1});
  EXPECT_EQ(model.graph.nodes().back().name, "n_y/n_y");
}

TEST(Functions, SeeNothingOfTheGraphAroundThem) {
  FunctionMaker thief("my", "Thief", {"x"}, {"y"});
  thief.node("Add", {"x", "secret"}, {"y"});
  ModelMaker maker;
  maker.input("x", {"2"}).input("secret", {"2"}).node("Thief", {"x"}, {"y"}).in_domain("my").output("y");
  thief.add_to(maker);
  const std::string error = error_of(maker);
  EXPECT_TRUE(has(error, "of function 'Thief': reads 'secret'")) << error;
}

TEST(Functions, AWeightThatTwoCallsReadIsOneWeight) {
  ModelMaker maker;
  maker.input("x", {"2"}).weight("w", {2}).weight("v", {2});
  maker.node("Scaled", {"x", "w", "v"}, {"m"}).in_domain("my").node("Scaled", {"m", "w", "v"}, {"y"}).in_domain("my");
  scaled().add_to(maker.output("y"));
  const auto model = imported(maker);
  ASSERT_EQ(model.graph.inputs().size(), 3u);
  EXPECT_EQ(model.graph.value(model.graph.inputs()[1]).name, "w");
}

TEST(Functions, AttributesOfTheCallAreThoseOfTheNodesThatReferToThem) {
  const auto called = [](bool given) {
    FunctionMaker maker("my", "Rows", {"x"}, {"y"});
    maker.node("Transpose", {"x"}, {"t"}).referring("perm", "order").node("ReduceSum", {"t"}, {"y"}).referring("keepdims", "keep");
    maker.with_default("keep", 0);
    ModelMaker model(11);
    model.input("x", {"2", "3", "4"}).node("Rows", {"x"}, {"y"}).in_domain("my");
    if (given) model.with_list("order", {1, 0, 2}).with("keep", 1);
    maker.add_to(model.output("y"));
    return imported(model);
  };
  EXPECT_EQ(output_type(called(true).graph), "f32[1,1,1]");
  EXPECT_EQ(output_type(called(false).graph), "f32[]");  // the default; and no order is ONNX's own, backwards
  EXPECT_EQ(type_text(called(true).graph.type(called(true).graph.nodes()[0].outputs[0])), "f32[3,2,4]");
  EXPECT_EQ(type_text(called(false).graph.type(called(false).graph.nodes()[0].outputs[0])), "f32[4,3,2]");
}

TEST(Functions, OperandsThatACallLeavesOutAreLeftOutInside) {
  FunctionMaker maker("my", "Bounded", {"x", "lo", "hi"}, {"y"});
  maker.node("Clip", {"x", "lo", "hi"}, {"y"});
  ModelMaker model;
  model.input("x", {"3"}).number("one", 1).node("Bounded", {"x", "", "one"}, {"y"}).in_domain("my").output("y");
  maker.add_to(model);
  expect_close(evaluated(imported(model), {{-5, 0.5, 7}}), {-5, 0.5, 1});
}

TEST(Functions, CallEachOther) {
  FunctionMaker outer("my", "Twice", {"x", "a", "b"}, {"y"});
  outer.node("Scaled", {"x", "a", "b"}, {"m"}).in_domain("my").node("Scaled", {"m", "a", "b"}, {"y"}).in_domain("my");
  ModelMaker maker;
  maker.input("x", {"1"}).number("two", 2).number("one", 1).node("Twice", {"x", "two", "one"}, {"y"}).in_domain("my").output("y");
  outer.add_to(maker);
  scaled().add_to(maker);
  expect_close(evaluated(imported(maker), {{5}}), {23});
}

TEST(Functions, HaveAnOperatorSetOfTheirOwn) {
  FunctionMaker old("my", "Old", {"x"}, {"y"}, 11);
  old.node("Squeeze", {"x"}, {"y"}).with_list("axes", {0});
  ModelMaker maker(17);
  maker.input("x", {"1", "3"}).node("Old", {"x"}, {"y"}).in_domain("my").output("y");
  old.add_to(maker);
  EXPECT_EQ(output_type(imported(maker).graph), "f32[3]");
}

TEST(Functions, ThatCallThemselvesAreRefused) {
  FunctionMaker self("my", "F", {"x"}, {"y"});
  self.node("F", {"x"}, {"y"}).in_domain("my");
  ModelMaker maker;
  maker.input("x", {"2"}).node("F", {"x"}, {"y"}).in_domain("my").output("y");
  self.add_to(maker);
  EXPECT_TRUE(has(error_of(maker), "may not call itself")) << error_of(maker);
  FunctionMaker first("my", "F", {"x"}, {"y"}), second("my", "G", {"x"}, {"y"});
  first.node("G", {"x"}, {"y"}).in_domain("my");
  second.node("F", {"x"}, {"y"}).in_domain("my");
  ModelMaker two;
  two.input("x", {"2"}).node("F", {"x"}, {"y"}).in_domain("my").output("y");
  first.add_to(two);
  second.add_to(two);
  EXPECT_TRUE(has(error_of(two), "of function 'G': calls function 'F'")) << error_of(two);
}

// F0 calls F1 `times` times, which calls F2 as often, and so on.
ModelMaker tower(int height, int times) {
  ModelMaker model;
  model.input("x", {"2"}).node("F0", {"x"}, {"y"}).in_domain("my").output("y");
  for (int i = 0; i < height; ++i) {
    FunctionMaker floor("my", "F" + std::to_string(i), {"v0"}, {"v" + std::to_string(times)});
    const bool last = i + 1 == height;
    for (int j = 0; j < times; ++j) {
      floor.node(last ? "Relu" : "F" + std::to_string(i + 1), {"v" + std::to_string(j)}, {"v" + std::to_string(j + 1)});
      if (!last) floor.in_domain("my");
    }
    floor.add_to(model);
  }
  return model;
}

TEST(Functions, ThatGrowBeyondEverythingAreRefused) {
  EXPECT_EQ(imported(tower(10, 2)).nodes, 1024);
  EXPECT_EQ(imported(tower(30, 1)).nodes, 1);
  EXPECT_TRUE(has(error_of(tower(30, 2)), "250000 nodes")) << error_of(tower(30, 2));
  const std::string deep = error_of(tower(500, 1));
  EXPECT_TRUE(has(deep, "the 33th within each other")) << deep;
  EXPECT_LT(deep.size(), 500u);
}

TEST(Functions, CopiesOfWhatTheirCallsGiveHaveAnEnd) {
  FunctionMaker copies("my", "Copies", {"x"}, {"x"});
  for (int i = 0; i < 2000; ++i) copies.node("Constant", {}, {"c" + std::to_string(i)}).referring("value_ints", "numbers");
  ModelMaker model;
  model.input("x", {"2"}).node("Copies", {"x"}, {"y"}).in_domain("my").output("y");
  model.with_list("numbers", std::vector<std::int64_t>(500'000, 7));
  copies.add_to(model);
  EXPECT_TRUE(has(error_of(model), "larger than anything real")) << error_of(model);
}

TEST(Functions, ThatDoNotFitTheirCallsAreRefused) {
  const auto called = [](const std::vector<std::string>& inputs, const std::vector<std::string>& outputs) {
    ModelMaker maker;
    maker.input("x", {"2"}).node("Scaled", inputs, outputs).in_domain("my").output(outputs.front());
    scaled().add_to(maker);
    return error_of(maker);
  };
  EXPECT_TRUE(has(called({"x", "x", "x", "x"}, {"y"}), "3 inputs and 1 outputs"));
  EXPECT_TRUE(has(called({"x", "x", "x"}, {"y", "z"}), "3 inputs and 1 outputs"));
  EXPECT_TRUE(has(called({"x", "x"}, {"y"}), "lacks operand 1"));
  EXPECT_TRUE(has(called({"x", "x", "ghost"}, {"y"}), "reads 'ghost'"));
  FunctionMaker empty("my", "Empty", {"x"}, {"y"});
  ModelMaker maker;
  maker.input("x", {"2"}).node("Empty", {"x"}, {"y"}).in_domain("my").output("y");
  empty.add_to(maker);
  EXPECT_TRUE(has(error_of(maker), "makes nothing called 'y'"));
  empty.add_to(maker);
  EXPECT_TRUE(has(error_of(maker), "function 'Empty': is there twice"));
}

}  // namespace
}  // namespace fuselab
