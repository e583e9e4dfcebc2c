// SPDX-License-Identifier: Apache-2.0
#include "core/graph/graph_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <set>

#include "core/base/random.h"
#include "tests/support/graph_builder.h"

namespace fuselab {
namespace {

using testing::graph_from;
using ::testing::HasSubstr;

std::string canonical(std::string_view text) {
  return canonical_text(graph_from(text));
}

TEST(CanonicalText, IsTheDocumentedForm) {
  EXPECT_EQ(
      canonical("graph(x: f32[batch,768], bias: param f32[768]) { s = Add(x, bias); y = Gelu(s, approximate=\"tanh\"); return y }"),
      "graph(i0: f32[batch,768], p0: param f32[768]) { v0 = Add(i0, p0); v1 = Gelu(v0, approximate=\"tanh\"); return v1 }");
}

TEST(CanonicalText, DoesNotDependOnNamesOrListingOrder) {
  const std::string one = canonical("graph(a: f32[4], b: f32[4]) { e = Exp(a); n = Neg(b); y = Add(e, n); return y }");
  const std::string two = canonical("graph(q: f32[4], p: f32[4]) { z = Neg(q); e = Exp(p); y = Add(e, z); return y }");
  EXPECT_EQ(one, two);
  EXPECT_EQ(graph_key(graph_from(one)), graph_key(graph_from(two)));
}

TEST(CanonicalText, DependsOnOperandsTypesAttributesAndOutputs) {
  const char* const texts[] = {
      "graph(a: f32[4], b: f32[4]) { y = Sub(a, b); return y }",
      "graph(a: f32[4]) { y = Sub(a, a); return y }",
      "graph(a: f32[4], b: param f32[4]) { y = Sub(a, b); return y }",
      "graph(a: f16[4], b: f16[4]) { y = Sub(a, b); return y }",
      "graph(a: f32[n], b: f32[n]) { y = Sub(a, b); return y }",
      "graph(a: f32[4], b: f32[4]) { y = Sub(a, b); return y, y }",
      "graph(a: f32[4]) { y = LeakyRelu(a); return y }",
      "graph(a: f32[4]) { y = LeakyRelu(a, alpha=0.1); return y }",
  };
  std::set<std::string> keys;
  for (const char* text : texts) keys.insert(graph_key(graph_from(text)).hex());
  EXPECT_EQ(keys.size(), std::size(texts));
}

TEST(CanonicalText, LeavesOutDefaultsAndWhatReachesNoOutput) {
  EXPECT_EQ(canonical("graph(x: f32[4], unused: f32[9]) { dead = Exp(unused); y = Softmax(x, axis=-1); return y }"),
            "graph(i0: f32[4]) { v0 = Softmax(i0); return v0 }");
}

TEST(CanonicalText, WritesRealsSoThatTheyReadBack) {
  const double reals[] = {0.1,
                          1.0,
                          -0.0,
                          1e-5,
                          1e300,
                          5e-324,
                          1.0 / 3,
                          std::numeric_limits<double>::infinity(),
                          -std::numeric_limits<double>::infinity()};
  for (const double real : reals) {
    Graph graph;
    graph.add_output(graph.node(graph.add_node(Op::kConstant, {}, {{"value", real}}).value()).outputs[0]);
    const Graph read = graph_from(canonical_text(graph));
    const double back = read.nodes()[0].attributes.real("value", 7);
    EXPECT_EQ(back, real) << canonical_text(graph);
    EXPECT_EQ(std::signbit(back), std::signbit(real));
  }
  EXPECT_THAT(canonical("graph() { c = Constant(value=nan); return c }"), HasSubstr("value=nan"));
  EXPECT_THAT(canonical("graph() { c = Constant(value=1); return c }"), HasSubstr("value=1.0"));
}

TEST(CanonicalText, EscapesStrings) {
  Graph graph;
  const ValueId x = graph.add_input("x", {DType::kF32, {2}});
  const NodeId id = graph.add_opaque("Odd", {x}, {{DType::kF32, {2}}});
  const std::string odd("quote\" back\\slash new\nline \xc3\xa9 \x01", 29);
  graph.node(id).attributes.set("text", odd);
  graph.add_output(graph.node(id).outputs[0]);
  const std::string text = canonical_text(graph);
  EXPECT_EQ(text.find('\n'), std::string::npos);
  EXPECT_EQ(graph_from(text).nodes()[0].attributes.text("text", ""), odd);
}

TEST(CanonicalText, WalksDeepGraphsWithoutTheCallStack) {
  Graph graph;
  ValueId value = graph.add_input("x", {DType::kF32, {2}});
  constexpr int kDepth = 100000;
  for (int i = 0; i < kDepth; ++i) value = graph.node(graph.add_node(Op::kNeg, {value}).value()).outputs[0];
  graph.add_output(value);
  EXPECT_THAT(canonical_text(graph), HasSubstr("v99999 = Neg(v99998); return v99999"));
}

TEST(NamedText, KeepsNamesWhereTheyAreValidAndUnique) {
  Graph graph;
  const ValueId x = graph.add_input("/model/layer.0/x", {DType::kF32, {2}});
  const ValueId y = graph.node(graph.add_node(Op::kNeg, {x}, {}, {"return"}).value()).outputs[0];
  const ValueId z = graph.node(graph.add_node(Op::kExp, {y}, {}, {"_model_layer.0_x"}).value()).outputs[0];
  graph.add_output(z);
  const std::string text = named_text(graph);
  EXPECT_EQ(text,
            "graph(_model_layer.0_x: f32[2]) { return_ = Neg(_model_layer.0_x); _model_layer.0_x_1 = Exp(return_); "
            "return _model_layer.0_x_1 }");
  EXPECT_EQ(canonical(text), canonical_text(graph));
}

// A seeded graph of operators that fit any shape, with shared values, dead ends and several outputs.
Graph random_graph(std::uint64_t seed) {
  SeededRandom random(seed);
  Graph graph;
  std::vector<ValueId> values;
  const int leaves = 1 + static_cast<int>(random.below(3));
  for (int i = 0; i < leaves; ++i) {
    const Shape shape = {Dim::symbol("rows"), random.below(2) == 0 ? Dim(8) : Dim(1)};
    const auto origin = random.below(3) == 0 ? ValueOrigin::kParam : ValueOrigin::kInput;
    values.push_back(graph.add_input("leaf" + std::to_string(i), {DType::kF32, shape}, origin));
  }
  const Op unary[] = {Op::kExp, Op::kGelu, Op::kLeakyRelu, Op::kSoftmax, Op::kClip, Op::kConstant, Op::kReduceMean, Op::kOpaque};
  const Op binary[] = {Op::kAdd, Op::kMul, Op::kDiv, Op::kMax};
  const int count = 1 + static_cast<int>(random.below(30));
  for (int i = 0; i < count; ++i) {
    const ValueId a = values[random.below(values.size())];
    const ValueId b = values[random.below(values.size())];
    Attributes attributes;
    NodeId made{};
    if (random.below(2) == 0) {
      made = graph.add_node(binary[random.below(std::size(binary))], {a, b}).value();
    } else {
      const Op op = unary[random.below(std::size(unary))];
      if (op == Op::kLeakyRelu) attributes.set("alpha", random.below(4) == 0 ? 0.01 : random.unit());
      if (op == Op::kClip) attributes.set("max", random.unit() * 1e6);
      if (op == Op::kConstant) attributes.set("value", static_cast<std::int64_t>(random.below(100)));
      if (op == Op::kReduceMean) attributes.set("axes", std::vector<std::int64_t>{-1});
      if (op == Op::kOpaque) {
        made = graph.add_opaque("acme.Op", {a, b}, {graph.type(a), {DType::kF32, {Dim::symbol("rows"), 1}}});
        graph.node(made).attributes.set("list", std::vector<double>{random.unit(), 2.0});
      } else {
        made = graph.add_node(op, op == Op::kConstant ? std::vector<ValueId>{} : std::vector<ValueId>{a}, attributes).value();
      }
    }
    for (const ValueId id : graph.node(made).outputs) {
      if (graph.type(id).shape.size() == 2) values.push_back(id);
    }
  }
  const int outputs = 1 + static_cast<int>(random.below(3));
  for (int i = 0; i < outputs; ++i)
    graph.add_output(values[values.size() - 1 - random.below(std::min<std::size_t>(values.size(), 5))]);
  return graph;
}

TEST(CanonicalText, RoundTripsOverRandomGraphs) {
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    const Graph graph = random_graph(seed);
    const std::string text = canonical_text(graph);
    const auto read = parse_graph(text);
    ASSERT_TRUE(read.ok()) << "seed " << seed << ": " << read.error().message << "\n" << text;
    ASSERT_EQ(canonical_text(read.value()), text) << "seed " << seed;
    const auto named = parse_graph(named_text(graph));
    ASSERT_TRUE(named.ok()) << "seed " << seed << ": " << named.error().message << "\n" << named_text(graph);
    ASSERT_EQ(canonical_text(named.value()), text) << "seed " << seed;
  }
}

}  // namespace
}  // namespace fuselab
