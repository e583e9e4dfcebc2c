// SPDX-License-Identifier: Apache-2.0
// What is computed while a model is read must be what its operators compute.
#include <functional>
#include <limits>

#include "core/graph/graph_text.h"
#include "evaluated.h"
#include "model_maker.h"

namespace fuselab {
namespace {

using testing::error_of;
using testing::evaluated;
using testing::expect_close;
using testing::has;
using testing::imported;
using testing::ModelMaker;
using testing::operators_of;
using testing::output_type;

constexpr float kInfinity = std::numeric_limits<float>::infinity();

// The immediate that a chain of operators over one number becomes: y = x * chain.
std::string immediate_of(ModelMaker maker) {
  maker.input("x", {"4", "3"}).node("Mul", {"x", "c"}, {"y"}).output("y", {"4", "3"});
  const auto model = imported(maker);
  EXPECT_EQ(operators_of(model.graph), "Mul");
  const std::string text = canonical_text(model.graph);
  const auto begin = text.find("value=");
  return begin == std::string::npos ? text : text.substr(begin + 6, text.find_first_of(",)", begin) - begin - 6);
}

TEST(Folding, OperandsOfEqualCountBroadcast) {
  const auto reals = imported(
      ModelMaker().reals("a", {1, 3}, {1, 2, 3}).reals("b", {3, 1}, {10, 20, 30}).node("Add", {"a", "b"}, {"c"}).output("c"));
  EXPECT_EQ(output_type(reals.graph), "f32[3,3]");
  ModelMaker indices;
  indices.input("t", {"64", "8"}).integers("a", {0, 1, 2, 3}).integers("b", {0, 0, 0, 0});
  indices.graph().mutable_initializer(0)->add_dims(1);
  indices.node("Sub", {"a", "b"}, {"c"}).node("Gather", {"t", "c"}, {"y"}).output("y");
  EXPECT_EQ(output_type(imported(indices).graph), "f32[4,4,8]");
}

TEST(Folding, BroadcastNumbersAreInTheirPlaces) {
  // [[1],[2]] + [10,20] = [[11,21],[12,22]]; the index of its last element is out of range, and of none before it.
  ModelMaker maker;
  maker.input("t", {"22", "8"}).integers("a", {1, 2}).integers("b", {10, 20});
  maker.graph().mutable_initializer(0)->add_dims(1);
  maker.node("Add", {"a", "b"}, {"c"}).node("Gather", {"t", "c"}, {"y"}).output("y");
  EXPECT_TRUE(has(error_of(maker), "index 22")) << error_of(maker);
}

// y = x[2,8] in the shape t that the nodes make of its shape s.
std::string reshaped(const std::function<void(ModelMaker&)>& add_nodes) {
  ModelMaker maker(18);
  maker.input("x", {"2", "8"}).node("Shape", {"x"}, {"s"});
  add_nodes(maker);
  const auto model = imported(maker.node("Reshape", {"x", "t"}, {"y"}).output("y"));
  return operators_of(model.graph) + " " + output_type(model.graph);
}

// The two bools q = (s == e) are true, of those of `half` only the first.
TEST(Folding, LogicChoosesAmongExtents) {
  const auto chosen = [](const std::function<void(ModelMaker&)>& add_condition) {
    ModelMaker maker(18);
    maker.input("x", {"2", "8"}).input("w", {"1"}).node("Shape", {"x"}, {"s"}).integers("e", {2, 8}).integers("z", {2, 9});
    maker.node("Equal", {"s", "e"}, {"q"}).node("Equal", {"s", "z"}, {"half"}).integers("yes", {3, 5}).integers("no", {7, 9});
    add_condition(maker);
    maker.node("Where", {"c", "yes", "no"}, {"t"}).node("Expand", {"w", "t"}, {"y"}).output("y");
    return output_type(imported(maker).graph);
  };
  EXPECT_EQ(chosen([](ModelMaker& maker) { maker.node("Not", {"q"}, {"c"}); }), "f32[7,9]");
  EXPECT_EQ(chosen([](ModelMaker& maker) { maker.node("Not", {"half"}, {"c"}); }), "f32[7,5]");
  EXPECT_EQ(chosen([](ModelMaker& maker) { maker.node("And", {"q", "half"}, {"c"}); }), "f32[3,9]");
  EXPECT_EQ(chosen([](ModelMaker& maker) { maker.node("Or", {"half", "q"}, {"c"}); }), "f32[3,5]");
  EXPECT_EQ(chosen([](ModelMaker& maker) { maker.node("Xor", {"q", "half"}, {"c"}); }), "f32[7,5]");
}

TEST(Folding, SizesAndTotalsOfExtentsAreExtents) {
  const auto of_shape = [](const std::string& op) { return reshaped([&](ModelMaker& maker) { maker.node(op, {"s"}, {"t"}); }); };
  EXPECT_EQ(of_shape("Abs"), "Reshape f32[2,8]");
  EXPECT_EQ(of_shape("ReduceProd"), "Reshape f32[16]");
  const auto of_numbers = [](const std::string& op) {
    return reshaped([&](ModelMaker& maker) {
      maker.integers("n", {-16, 2, 14, 16}).node(op, {"n"}, {"m"}).node("Abs", {"m"}, {"t"});
    });
  };
  EXPECT_EQ(of_numbers("ReduceMax"), "Reshape f32[16]");
  EXPECT_EQ(of_numbers("ReduceMin"), "Reshape f32[16]");
  EXPECT_EQ(of_numbers("ReduceSum"), "Reshape f32[16]");
}

// Without its axis a product is a number, or a formula.
TEST(Folding, AProductOfExtentsIsAnExtent) {
  const auto product = [](const std::string& other) {
    return imported(ModelMaker(18)
                        .input("x", {"batch", other})
                        .node("Shape", {"x"}, {"s"})
                        .node("ReduceProd", {"s"}, {"n"})
                        .node("Reshape", {"x", "n"}, {"y"})
                        .output("y"));
  };
  EXPECT_EQ(output_type(product("1").graph), "f32[batch]");
  EXPECT_EQ(output_type(product("8").graph), "f32[8*batch]");
}

// Exporters write torch.expand so: what is -1 stays what it was.
TEST(Folding, ComparisonsChooseAmongExtents) {
  const auto model = imported(ModelMaker()
                                  .input("x", {"batch", "1", "8"})
                                  .node("Shape", {"x"}, {"s"})
                                  .integers("asked", {-1, 4, -1})
                                  .integers("keep", {-1})
                                  .node("Equal", {"asked", "keep"}, {"kept"})
                                  .node("Where", {"kept", "s", "asked"}, {"target"})
                                  .node("Expand", {"x", "target"}, {"y"})
                                  .output("y"));
  EXPECT_EQ(operators_of(model.graph), "Expand");
  EXPECT_EQ(output_type(model.graph), "f32[batch,4,8]");
}

TEST(Folding, AnExtentWithoutANumberIsNoNegativeNumber) {
  const auto with = [](const std::string& op, std::int64_t number) {
    return imported(ModelMaker()
                        .input("x", {"batch"})
                        .node("Shape", {"x"}, {"s"})
                        .integers("n", {number})
                        .node(op, {"s", "n"}, {"c"})
                        .integers("yes", {3})
                        .integers("no", {5})
                        .node("Where", {"c", "yes", "no"}, {"t"})
                        .input("w", {"1"})
                        .node("Expand", {"w", "t"}, {"y"})
                        .output("y"));
  };
  EXPECT_EQ(output_type(with("Equal", -1).graph), "f32[5]");
  EXPECT_EQ(output_type(with("Greater", -1).graph), "f32[3]");
  EXPECT_EQ(with("Equal", 4).opaque_nodes, 1);  // nobody knows
}

TEST(Folding, IntegersAreNegated) {
  ModelMaker maker;
  maker.input("t", {"3", "8"}).integers("a", {4}).node("Neg", {"a"}, {"i"}).node("Gather", {"t", "i"}, {"y"}).output("y");
  EXPECT_TRUE(has(error_of(maker), "index -4")) << error_of(maker);
}

TEST(Folding, OperandsThatDoNotFitAreRefused) {
  EXPECT_TRUE(
      has(error_of(ModelMaker().reals("a", {2}, {1, 2}).reals("b", {3}, {1, 2, 3}).node("Add", {"a", "b"}, {"c"}).output("c")),
          "do not broadcast"));
}

TEST(Folding, LargeBroadcastsAreLeftToTheOperator) {
  std::vector<std::int64_t> many(40, 1);
  ModelMaker maker;
  maker.integers("a", many).integers("b", many);
  maker.graph().mutable_initializer(0)->add_dims(1);
  const auto model = imported(maker.node("Add", {"a", "b"}, {"c"}).output("c"));
  EXPECT_EQ(operators_of(model.graph), "Add");
  EXPECT_EQ(output_type(model.graph), "i64[40,40]");
}

TEST(Folding, CastsKeepWhatTheirTypeHolds) {
  EXPECT_EQ(
      immediate_of(
          ModelMaker().reals("a", {1}, {2.5f}).node("Cast", {"a"}, {"b"}).with("to", 9).node("Cast", {"b"}, {"c"}).with("to", 1)),
      "1.0");
  EXPECT_EQ(
      immediate_of(
          ModelMaker().integers("a", {300}).node("Cast", {"a"}, {"b"}).with("to", 2).node("Cast", {"b"}, {"c"}).with("to", 1)),
      "44.0");
  EXPECT_EQ(
      immediate_of(
          ModelMaker().integers("a", {200}).node("Cast", {"a"}, {"b"}).with("to", 3).node("Cast", {"b"}, {"c"}).with("to", 1)),
      "-56.0");
  EXPECT_EQ(
      immediate_of(
          ModelMaker().reals("a", {1}, {2049}).node("Cast", {"a"}, {"b"}).with("to", 10).node("Cast", {"b"}, {"c"}).with("to", 1)),
      "2048.0");
}

TEST(Folding, SymbolsAreNoTruthValues) {
  const auto model = imported(
      ModelMaker().input("x", {"batch", "4"}).node("Shape", {"x"}, {"s"}).node("Cast", {"s"}, {"y"}).with("to", 9).output("y"));
  EXPECT_EQ(operators_of(model.graph), "Cast");
  EXPECT_EQ(output_type(model.graph), "bool[2]");
}

TEST(Folding, ReshapesOfOneElementKeepOne) {
  const auto reshaped = [](const std::vector<std::int64_t>& target) {
    return ModelMaker().reals("a", {1}, {2.5f}).integers("s", target).node("Reshape", {"a", "s"}, {"c"});
  };
  EXPECT_TRUE(has(error_of(reshaped({7}).output("c")), "number of elements"));
  EXPECT_EQ(immediate_of(reshaped({-1})), "2.5");
  EXPECT_EQ(immediate_of(reshaped({0})), "2.5");
  EXPECT_EQ(immediate_of(reshaped({})), "2.5");
  EXPECT_FALSE(reshaped({0}).with("allowzero", 1).output("c").import().ok());
}

TEST(Folding, AllowedZerosDoNotStandForSymbols) {
  ModelMaker maker;
  maker.input("x", {"batch", "4", "2"}).integers("i", {0}).integers("n", {8}).node("Shape", {"x"}, {"s"});
  maker.node("Gather", {"s", "i"}, {"b"}).node("Concat", {"b", "n"}, {"t"}).with("axis", 0);
  maker.node("Reshape", {"x", "t"}, {"y"}).with("allowzero", 1).output("y");
  EXPECT_EQ(output_type(imported(maker).graph), "f32[batch,8]");
}

TEST(Folding, BoundsOfClipMayBeComputed) {
  const ModelMaker maker =
      ModelMaker().input("x", {"4"}).input("lo", {}).input("hi", {}).node("Clip", {"x", "lo", "hi"}, {"y"}).output("y");
  expect_close(evaluated(maker, {{-5, 0.5, 9, 2}, {-1}, {3}}), {-1, 0.5, 3, 2});
  expect_close(evaluated(maker, {{-5, 0.5, 9, 2}, {4}, {3}}), {3, 3, 3, 3});
  const ModelMaker upper = ModelMaker().input("x", {"3"}).input("hi", {}).node("Clip", {"x", "", "hi"}, {"y"}).output("y");
  expect_close(evaluated(upper, {{-5, 0.5, 9}, {3}}), {-5, 0.5, 3});
}

TEST(Folding, EndlessBoundsOfClipAreNone) {
  const auto bounded = [](float low, float high) {
    return imported(
        ModelMaker().input("x", {"8"}).number("lo", low).number("hi", high).node("Clip", {"x", "lo", "hi"}, {"y"}).output("y"));
  };
  const auto relu = bounded(0, kInfinity);
  ASSERT_EQ(operators_of(relu.graph), "Clip");
  EXPECT_EQ(relu.opaque_nodes, 0);
  EXPECT_TRUE(relu.graph.nodes().back().attributes.has("min"));
  EXPECT_FALSE(relu.graph.nodes().back().attributes.has("max"));
  const auto free = bounded(-kInfinity, kInfinity);
  EXPECT_FALSE(free.graph.nodes().back().attributes.has("min"));
  ModelMaker old(10);
  old.input("x", {"8"}).node("Clip", {"x"}, {"y"}).output("y");
  auto& attribute = *old.graph().mutable_node(0)->add_attribute();
  attribute.set_name("max");
  attribute.set_type(onnx::AttributeProto::FLOAT);
  attribute.set_f(kInfinity);
  EXPECT_FALSE(imported(old).graph.nodes().back().attributes.has("max"));
}

TEST(Folding, AnInfiniteNumberIsAnImmediate) {
  const auto model = imported(ModelMaker()
                                  .input("m", {"8"}, 9)
                                  .input("x", {"8"})
                                  .number("masked", -kInfinity)
                                  .node("Where", {"m", "x", "masked"}, {"y"})
                                  .output("y"));
  EXPECT_EQ(model.graph.inputs().size(), 2u);
  EXPECT_TRUE(has(canonical_text(model.graph), "-inf")) << canonical_text(model.graph);
}

TEST(Folding, FilledShapesHaveTheirNumber) {
  EXPECT_EQ(immediate_of(ModelMaker().integers("s", {1}).node("ConstantOfShape", {"s"}, {"c"})), "0.0");
  ModelMaker target;  // [1,1] * [2,3] is the shape [2,3]
  target.input("x", {"6"}).integers("two", {2}).integers("shape", {2, 3}).node("ConstantOfShape", {"two"}, {"ones"});
  auto& value = *target.graph().mutable_node(0)->add_attribute();
  value.set_name("value");
  value.mutable_t()->set_data_type(7);
  value.mutable_t()->add_int64_data(1);
  target.node("Mul", {"ones", "shape"}, {"t"}).node("Reshape", {"x", "t"}, {"y"}).output("y");
  EXPECT_EQ(output_type(imported(target).graph), "f32[2,3]");
}

// PyTorch counts pads in pairs from the last axis on, and its exporter turns them around: pairs as rows, upside down, transposed.
TEST(Folding, PadsThatAnExporterTurnsAroundAreKnown) {
  const auto padded = [](const std::vector<std::int64_t>& rows) {
    ModelMaker maker;
    maker.input("x", {"batch", "8"}).integers("pairs", {1, 2, 0, 0}).integers("rows", rows).integers("all", {-1});
    maker.integers("s", {-1}).integers("e", {-INT64_MAX}).integers("a", {0}).integers("p", {-1});
    maker.node("Reshape", {"pairs", "rows"}, {"r"}).node("Slice", {"r", "s", "e", "a", "p"}, {"u"});
    maker.node("Transpose", {"u"}, {"t"}).with_list("perm", {1, 0});
    maker.node("Reshape", {"t", "all"}, {"v"}).node("Cast", {"v"}, {"pads"}).with("to", 7);
    return maker.node("Pad", {"x", "pads"}, {"y"}).output("y");
  };
  const auto model = imported(padded({-1, 2}));
  EXPECT_EQ(operators_of(model.graph), "Pad");
  EXPECT_EQ(output_type(model.graph), "f32[batch,11]");
  EXPECT_FALSE(padded({-1, 3}).import().ok());
}

TEST(Folding, VectorsHaveOneAxisOnly) {
  const auto sliced = [](std::int64_t axis) {
    ModelMaker maker;
    maker.integers("v", {1, 2, 3}).integers("s", {-1}).integers("e", {INT64_MIN}).integers("a", {axis}).integers("p", {-2});
    return maker.node("Slice", {"v", "s", "e", "a", "p"}, {"t"})
        .input("x", {"3", "1"})
        .node("Reshape", {"x", "t"}, {"y"})
        .output("y");
  };
  EXPECT_EQ(output_type(imported(sliced(-1)).graph), "f32[3,1]");
  EXPECT_TRUE(has(error_of(sliced(1)), "axis 1"));
  const auto joined = [](std::int64_t axis) {
    return ModelMaker().integers("a", {1}).integers("b", {2}).node("Concat", {"a", "b"}, {"y"}).with("axis", axis).output("y");
  };
  EXPECT_EQ(output_type(imported(joined(-1)).graph), "i64[2]");
  EXPECT_TRUE(has(error_of(joined(3)), "axis 3"));
  EXPECT_TRUE(
      has(error_of(ModelMaker(11).integers("a", {1}).node("Squeeze", {"a"}, {"y"}).with_list("axes", {5}).output("y")), "axis 5"));
}

}  // namespace
}  // namespace fuselab
