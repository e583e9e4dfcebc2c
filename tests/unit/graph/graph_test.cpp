// SPDX-License-Identifier: Apache-2.0
#include "core/graph/graph.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/graph/graph_text.h"
#include "tests/support/graph_builder.h"

namespace fuselab {
namespace {

using ::testing::ElementsAre;
using testing::graph_from;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::maker_of;
using testing::value_named;

const char* const kSymbolic = "graph(x: f32[batch,seq,8], w: param f32[8]) { s = Add(x, w); y = Softmax(s); return y, s }";

TEST(Graph, InfersTypesAsNodesAreAdded) {
  Graph graph;
  const ValueId x = graph.add_input("x", {DType::kF32, {4, 8}});
  const ValueId bias = graph.add_input("bias", {DType::kF32, {8}}, ValueOrigin::kParam);
  const auto added = graph.add_node(Op::kAdd, {x, bias}, {}, {"sum"});
  ASSERT_TRUE(added.ok());
  const ValueId sum = graph.node(added.value()).outputs[0];
  graph.add_output(sum);
  EXPECT_EQ(type_text(graph.type(sum)), "f32[4,8]");
  EXPECT_EQ(graph.value(sum).name, "sum");
  EXPECT_EQ(graph.value(sum).producer, added.value());
  EXPECT_EQ(graph.value(bias).origin, ValueOrigin::kParam);
  EXPECT_TRUE(graph.is_output(sum));
  EXPECT_FALSE(graph.is_output(x));
}

TEST(Graph, RefusesNodesThatDoNotFitAndStaysAsItWas) {
  Graph graph;
  const ValueId x = graph.add_input("x", {DType::kF32, {4}});
  const ValueId y = graph.add_input("y", {DType::kF32, {5}});
  const auto added = graph.add_node(Op::kAdd, {x, y});
  ASSERT_FALSE(added.ok());
  EXPECT_THAT(added.error().message, HasSubstr("4 against 5"));
  EXPECT_TRUE(graph.nodes().empty());
  EXPECT_EQ(graph.values().size(), 2U);
  EXPECT_FALSE(graph.add_node(Op::kRelu, {x}, {}, {"a", "b"}).ok());
}

TEST(Graph, NamesReadersOncePerNode) {
  const Graph graph = graph_from("graph(x: f32[4]) { a = Mul(x, x); b = Add(a, x); c = Neg(a); return b, c }");
  EXPECT_THAT(graph.consumers(value_named(graph, "x")), ElementsAre(maker_of(graph, "a"), maker_of(graph, "b")));
  EXPECT_THAT(graph.consumers(value_named(graph, "a")), ElementsAre(maker_of(graph, "b"), maker_of(graph, "c")));
  EXPECT_THAT(graph.consumers(value_named(graph, "c")), IsEmpty());
}

TEST(Graph, ListsItsSymbolsSorted) {
  EXPECT_THAT(graph_from(kSymbolic).symbols(), ElementsAre("batch", "seq"));
  EXPECT_FALSE(graph_from(kSymbolic).is_concrete());
  EXPECT_TRUE(graph_from("graph(x: f32[2]) { y = Exp(x); return y }").is_concrete());
}

TEST(Graph, OpaqueNodesKeepTheTypesTheyAreGiven) {
  Graph graph;
  const ValueId x = graph.add_input("x", {DType::kF32, {4}});
  const NodeId id = graph.add_opaque("com.acme.Warp", {x}, {{DType::kF16, {2}}, {DType::kI64, {}}});
  ASSERT_EQ(graph.node(id).outputs.size(), 2U);
  EXPECT_EQ(type_text(graph.type(graph.node(id).outputs[0])), "f16[2]");
  EXPECT_EQ(graph.node(id).opaque_type, "com.acme.Warp");
}

TEST(SizeOf, CountsPackedBytes) {
  EXPECT_EQ(size_of({DType::kF32, {4, 8}}).value().count, 128);
  EXPECT_EQ(size_of({DType::kI4, {5}}).value().count, 3);
  EXPECT_FALSE(size_of({DType::kF32, {Dim::symbol("n")}}).ok());
  EXPECT_THAT(size_of({DType::kF64, {std::int64_t{1} << 62}}).error().message, HasSubstr("more than 2^62 bytes"));
}

TEST(Bind, ReplacesSymbolsEverywhere) {
  const auto bound = fuselab::bind(graph_from(kSymbolic), {{"batch", 2}, {"seq", 3}});
  ASSERT_TRUE(bound.ok());
  EXPECT_TRUE(bound.value().is_concrete());
  EXPECT_EQ(canonical_text(bound.value()),
            "graph(i0: f32[2,3,8], p0: param f32[8]) { v0 = Add(i0, p0); v1 = Softmax(v0); return v1, v0 }");
  EXPECT_EQ(bound.value().value(bound.value().outputs()[0]).name, "y");
}

TEST(Bind, ListsEveryMissingName) {
  const auto bound = fuselab::bind(graph_from(kSymbolic), {});
  ASSERT_FALSE(bound.ok());
  EXPECT_EQ(bound.error().message, "the shape needs a value for batch, seq: --shape batch=…,seq=…");
  EXPECT_THAT(fuselab::bind(graph_from(kSymbolic), {{"batch", 1}}).error().message, HasSubstr("a value for seq:"));
}

TEST(Bind, RefusesNamesThatMeanNothing) {
  const auto bound = fuselab::bind(graph_from(kSymbolic), {{"batch", 2}, {"seq", 3}, {"sequence", 4}});
  ASSERT_FALSE(bound.ok());
  EXPECT_EQ(bound.error().message, "'sequence' is no symbol of this graph; it has batch, seq");
  EXPECT_FALSE(fuselab::bind(graph_from(kSymbolic), {{"batch", 0}, {"seq", 3}}).ok());
}

TEST(Bind, NamesTheNodeThatAShapeDoesNotFit) {
  Graph broken = graph_from("graph(x: f32[n]) { y = Slice(x, starts=[0], ends=[9223372036854775807]); return y }");
  broken.node(maker_of(broken, "y")).attributes.set("steps", std::vector<std::int64_t>{0});
  broken.node(maker_of(broken, "y")).name = "/model/Slice_1";
  const auto bound = fuselab::bind(broken, {{"n", 3}});
  ASSERT_FALSE(bound.ok());
  EXPECT_THAT(bound.error().message, HasSubstr("node '/model/Slice_1': Slice: a step must not be 0"));
}

TEST(Bind, KeepsOpaqueNodesAndNodeNames) {
  Graph graph = graph_from("graph(x: f32[n,4]) { y: f32[n,2] = Opaque:Warp(x, degree=3); z = Relu(y); return z }");
  graph.node(maker_of(graph, "z")).name = "/act";
  const Graph bound = fuselab::bind(graph, {{"n", 5}}).value();
  EXPECT_EQ(type_text(bound.type(bound.outputs()[0])), "f32[5,2]");
  EXPECT_EQ(bound.node(maker_of(bound, "z")).name, "/act");
  EXPECT_EQ(bound.node(maker_of(bound, "y")).attributes.integer("degree", 0), 3);
}

TEST(Retype, GivesLeavesAnotherType) {
  const Graph graph = graph_from("graph(x: f32[4], w: param f32[4]) { y = Mul(x, w); return y }");
  const auto half = retype(graph, [](const Value& value) { return TensorType{DType::kF16, value.type.shape}; });
  ASSERT_TRUE(half.ok());
  EXPECT_EQ(type_text(half.value().type(half.value().outputs()[0])), "f16[4]");
  const auto mixed = retype(graph, [](const Value& value) {
    return value.origin == ValueOrigin::kParam ? TensorType{DType::kF16, value.type.shape} : value.type;
  });
  EXPECT_THAT(mixed.error().message, HasSubstr("operand 1 is f16, not f32"));
}

}  // namespace
}  // namespace fuselab
