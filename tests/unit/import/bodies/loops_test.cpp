// SPDX-License-Identifier: Apache-2.0
// A Loop whose trips are known while the model is read is written out; any other is a barrier that says why.
#include <set>

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

constexpr int kI64Code = 7;
constexpr int kBoolCode = 9;

// A body that begins with the trip `i`, the condition `c` and the values `carried`.
ModelMaker body_of(const std::vector<std::string>& carried) {
  ModelMaker maker;
  maker.input("i", {}, kI64Code).input("c", {}, kBoolCode);
  for (const auto& name : carried) maker.input(name, {"2"});
  return maker;
}

// a = a + x, and each a is collected.
onnx::GraphProto summing() {
  ModelMaker body = body_of({"a"});
  body.node("Identity", {"c"}, {"c_out"}).node("Add", {"a", "x"}, {"a_out"}).node("Identity", {"a_out"}, {"each"});
  return body.output("c_out").output("a_out").output("each").graph();
}

ModelMaker looping(std::int64_t trips) {
  ModelMaker maker;
  maker.input("x", {"2"}).integers("m", {trips}).flag("go", true).reals("start", {2}, {10, 20});
  return maker.node("Loop", {"m", "go", "start"}, {"y", "all"}).with_body("body", summing());
}

TEST(Loops, OfKnownTripsAreWrittenOut) {
  ModelMaker maker = looping(3);
  maker.output("y").output("all");
  const ImportedModel model = imported(maker);
  EXPECT_EQ(operators_of(model.graph), "Add Identity Add Identity Add Identity Unsqueeze Unsqueeze Unsqueeze Concat");
  EXPECT_EQ(output_type(model.graph, 1), "f32[3,2]");
  EXPECT_EQ(model.graph.value(model.graph.outputs()[0]).name, "y");
  expect_close(evaluated(model, {{1, 2}, {10, 20}}), {13, 26});
}

TEST(Loops, CollectWhatEachTripMakes) {
  expect_close(evaluated(looping(3).output("all"), {{1, 2}, {10, 20}}), {11, 22, 12, 24, 13, 26});
}

TEST(Loops, KeepNamesApart) {
  const ImportedModel model = imported(looping(4).output("all"));
  std::set<std::string> names;
  for (const Value& value : model.graph.values()) EXPECT_TRUE(names.insert(value.name).second) << value.name;
  EXPECT_TRUE(names.contains("n_y/2/a_out"));
}

TEST(Loops, ShareTheWeightsOfTheirBody) {
  ModelMaker body = body_of({"a"});
  body.reals("w", {2}, {1, 2}).node("Add", {"a", "w"}, {"a_out"}).output("c").output("a_out");
  ModelMaker maker;
  maker.input("x", {"2"}).integers("m", {5}).node("Loop", {"m", "", "x"}, {"y"}).with_body("body", body.graph()).output("y");
  const ImportedModel model = imported(maker);
  EXPECT_EQ(model.graph.inputs().size(), 2u);
  expect_close(evaluated(model, {{0, 0}, {1, 2}}), {5, 10});
}

// The weights of two bodies are two, though both are called the same.
TEST(Loops, HaveWeightsThatAreToldApart) {
  ModelMaker maker;
  maker.input("x", {"2"}).integers("m", {1});
  for (const auto& [from, to, number] : {std::tuple("x", "h", 1.0f), std::tuple("h", "y", 5.0f)}) {
    ModelMaker body = body_of({"a"});
    body.reals("w", {2}, {number, number}).node("Add", {"a", "w"}, {"a_out"}).output("c").output("a_out");
    maker.node("Loop", {"m", "", from}, {to}).with_body("body", body.graph());
  }
  maker.graph().mutable_node(0)->clear_name();
  maker.graph().mutable_node(1)->clear_name();
  const std::string bytes = maker.output("y").bytes();
  const auto model = import_onnx_bytes(std::as_bytes(std::span(bytes)), {}, {}, Weights::kRead);
  ASSERT_TRUE(model.ok()) << model.error().message;
  EXPECT_EQ(model.value().weights.size(), 2u);
  std::set<std::string> names;
  for (const ValueId input : model.value().graph.inputs()) names.insert(model.value().graph.value(input).name);
  EXPECT_EQ(names.size(), 3u);
}

TEST(Loops, CountByAnInputWhoseNumberIsGiven) {
  ModelMaker maker;
  maker.input("x", {"2"}).input("times", {}, kI64Code).flag("go", true).reals("start", {2}, {10, 20});
  maker.node("Loop", {"times", "go", "start"}, {"y"}).with_body("body", summing()).output("y", {"2"});
  const std::string bytes = maker.bytes();
  const auto with = [&](const InputNumbers& numbers) {
    auto model = import_onnx_bytes(std::as_bytes(std::span(bytes)), {}, {}, Weights::kShapesAlone, numbers);
    EXPECT_TRUE(model.ok()) << (model.ok() ? "" : model.error().message);
    return model.ok() ? std::move(model).value() : ImportedModel();
  };
  EXPECT_EQ(operators_of(with({{"times", 2}}).graph), "Add Add") << "nobody reads what the trips collect";
  EXPECT_EQ(with({{"times", 0}}).opaque_nodes, 0);
  EXPECT_EQ(operators_of(with({{"times", 0}}).graph), "");
  EXPECT_EQ(operators_of(with({{"times", -5}}).graph), "");
  EXPECT_EQ(with({}).barriers.begin()->second, "how often it runs is computed, or follows from extents that are open");
}

TEST(Loops, CountByShapes) {
  const auto over = [](const std::string& extent) {
    ModelMaker maker;
    maker.input("x", {"2"}).input("s", {extent}).node("Shape", {"s"}, {"m"}).flag("go", true).reals("start", {2}, {10, 20});
    return imported(maker.node("Loop", {"m", "go", "start"}, {"y"}).with_body("body", summing()).output("y"));
  };
  EXPECT_EQ(operators_of(over("3").graph), "Add Add Add");
  EXPECT_EQ(over("n").opaque_nodes, 1);
}

// As PyTorch writes a while: its own counter ends it.
TEST(Loops, EndWhereTheirConditionSaysSo) {
  ModelMaker body;
  body.input("i", {}, kI64Code).input("c", {}, kBoolCode).input("a", {"2"}).input("k", {}, kI64Code);
  body.integers("one", {1}).integers("most", {3}).node("Add", {"k", "one"}, {"k_out"}).node("Add", {"a", "a"}, {"a_out"});
  body.node("Less", {"k_out", "most"}, {"c_out"}).output("c_out").output("a_out").output("k_out");
  ModelMaker maker;
  maker.input("x", {"2"}).integers("k0", {0}).flag("go", true).node("Loop", {"", "go", "x", "k0"}, {"y", "k1"});
  maker.with_body("body", body.graph()).output("y");
  expect_close(evaluated(maker, {{1, 2}}), {8, 16});
}

TEST(Loops, ThatNobodyCanCountAreBarriersOfTheirOwn) {
  const auto barrier = [](const onnx::GraphProto& body, const std::string& count, const std::string& condition) {
    ModelMaker maker;
    maker.input("x", {"2"}).input("asked", {}, kBoolCode).integers("m", {3}).flag("go", true);
    maker.node("Loop", {count, condition, "x"}, {"y"}).with_body("body", body).output("y", {"2"});
    const ImportedModel model = imported(maker);
    EXPECT_EQ(operators_of(model.graph), "?Loop");
    EXPECT_EQ(output_type(model.graph), "f32[2]");
    return model.barriers.empty() ? "" : model.barriers.begin()->second;
  };
  EXPECT_EQ(barrier(summing(), "m", "asked"), "whether it runs at all is computed");
  EXPECT_EQ(barrier(summing(), "", ""), "nothing ends it: it has neither a number of trips nor a condition");
  ModelMaker deciding = body_of({"a"});
  deciding.node("Add", {"a", "a"}, {"b"}).node("Not", {"asked"}, {"c_out"}).output("c_out").output("b");
  EXPECT_EQ(barrier(deciding.graph(), "m", "go"), "whether it goes on is computed by its body");
  ModelMaker endless = body_of({"a"});
  endless.node("Add", {"a", "a"}, {"b"}).output("c").output("b");
  EXPECT_TRUE(has(barrier(endless.graph(), "", "go"), "does not end within the 4096 trips"));
}

// What was read of a loop before it turned out to be a barrier leaves nothing behind.
TEST(Loops, ThatAreTakenBackLeaveNothing) {
  ModelMaker deciding = body_of({"a"});
  deciding.reals("w", {2}, {1, 2}).node("Add", {"a", "w"}, {"b"}).node("Unheard", {"b"}, {"u"}).node("Add", {"b", "outer"}, {"d"});
  deciding.node("Not", {"asked"}, {"c_out"}).output("c_out").output("d");
  ModelMaker maker;
  maker.input("x", {"2"}).input("asked", {}, kBoolCode).integers("m", {3}).flag("go", true).reals("outer", {2}, {1, 2});
  maker.node("Loop", {"m", "go", "x"}, {"y"}).with_body("body", deciding.graph()).output("y", {"2"});
  maker.node("Add", {"y", "outer"}, {"z"}).output("z");
  const ImportedModel model = imported(maker);
  EXPECT_EQ(operators_of(model.graph), "?Loop Add");
  EXPECT_EQ(model.nodes, 2);
  EXPECT_EQ(model.opaque_nodes, 1);
  EXPECT_EQ(model.barriers.size(), 1u);
  EXPECT_EQ(model.opaque_types, std::vector<std::string>{"Loop"});
  EXPECT_EQ(model.notes.size(), 1u);
  for (const ValueId input : model.graph.inputs()) EXPECT_NE(model.graph.value(input).name, "n_y/w");
}

TEST(Loops, LieWithinEachOtherAndWithinFunctions) {
  ModelMaker inner = body_of({"b"});
  inner.graph().mutable_input(0)->set_name("j");
  inner.graph().mutable_input(1)->set_name("d");
  inner.node("Add", {"b", "x"}, {"b_out"}).output("d").output("b_out");
  ModelMaker outer = body_of({"a"});
  outer.node("Loop", {"m", "", "a"}, {"a_out"}).with_body("body", inner.graph()).output("c").output("a_out");
  ModelMaker maker;
  maker.input("x", {"2"}).integers("m", {3}).node("Loop", {"m", "", "x"}, {"y"}).with_body("body", outer.graph()).output("y");
  expect_close(evaluated(maker, {{1, 2}}), {10, 20});

  FunctionMaker repeat("my", "Repeat", {"m", "x"}, {"y"});
  repeat.node("Loop", {"m", "", "x"}, {"y"}).with_body("body", outer.graph());
  ModelMaker calling;
  calling.input("in", {"2"}).integers("two", {2}).node("Repeat", {"two", "in"}, {"y"}).in_domain("my").output("y");
  repeat.add_to(calling);
  expect_close(evaluated(calling, {{1, 2}}), {5, 10});
}

TEST(Loops, WithinEachOtherShareTheWeightsOfTheInnermost) {
  ModelMaker inner;
  inner.input("j", {}, kI64Code).input("d", {}, kBoolCode).input("b", {"2"}).reals("w", {2}, {1, 2});
  inner.node("Add", {"b", "w"}, {"b_out"}).output("d").output("b_out");
  ModelMaker outer = body_of({"a"});
  outer.node("Loop", {"m", "", "a"}, {"a_out"}).with_body("body", inner.graph()).output("c").output("a_out");
  ModelMaker maker;
  maker.input("x", {"2"}).integers("m", {3}).node("Loop", {"m", "", "x"}, {"y"}).with_body("body", outer.graph()).output("y");
  expect_close(evaluated(maker, {{0, 0}, {1, 2}}), {9, 18});
}

TEST(Loops, ThatDoNotFitAreRefused) {
  const auto error = [](const onnx::GraphProto& body) {
    ModelMaker maker;
    maker.input("x", {"2"}).integers("m", {3}).node("Loop", {"m", "", "x"}, {"y"}).with_body("body", body).output("y");
    return error_of(maker);
  };
  EXPECT_TRUE(has(error(body_of({}).output("c").graph()), "its body has 2 inputs, and needs 3"));
  EXPECT_TRUE(has(error(body_of({"a"}).output("c").graph()), "its body has 1 outputs"));
  EXPECT_TRUE(has(error(body_of({"a"}).output("c").output("nothing").graph()), "makes nothing called 'nothing'"));
  EXPECT_TRUE(has(error(body_of({"x"}).node("Neg", {"x"}, {"b"}).output("c").output("b").graph()), "shadows a name"));
  EXPECT_TRUE(has(error(body_of({"i"}).node("Neg", {"i"}, {"b"}).output("c").output("b").graph()), "is there twice"));
  EXPECT_TRUE(has(error(body_of({"a"}).node("Neg", {"a"}, {"x"}).output("c").output("x").graph()), "'x', which exists already"));
}

}  // namespace
}  // namespace fuselab
