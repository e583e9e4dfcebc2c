// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "core/graph/graph_text.h"
#include "tests/support/graph_builder.h"

namespace fuselab {
namespace {

using testing::graph_from;
using testing::maker_of;

std::string extracted(const Graph& graph, std::initializer_list<std::string_view> makers_of) {
  std::vector<NodeId> nodes;
  for (const std::string_view name : makers_of) nodes.push_back(maker_of(graph, name));
  return named_text(extract(graph, nodes));
}

Graph block() {
  return graph_from(
      "graph(x: f32[4,8], w: param f32[8,8], b: param f32[8]) { half = Constant(value=0.5); m = MatMul(x, w); s = Add(m, b); "
      "h = Mul(s, half); g = Gelu(h); r = Add(g, x); return r, s }");
}

TEST(Extract, TurnsWhatIsReadFromOutsideIntoInputs) {
  EXPECT_EQ(extracted(block(), {"s"}), "graph(m: f32[4,8], b: param f32[8]) { s = Add(m, b); return s }");
}

TEST(Extract, CopiesTheConstantsItReads) {
  EXPECT_EQ(extracted(block(), {"h", "g"}),
            "graph(s: f32[4,8]) { half = Constant(value=0.5); h = Mul(s, half); g = Gelu(h); return g }");
}

TEST(Extract, ReturnsWhatOthersReadOrTheWholeReturns) {
  EXPECT_EQ(extracted(block(), {"m", "s", "h"}),
            "graph(x: f32[4,8], w: param f32[8,8], b: param f32[8]) { half = Constant(value=0.5); m = MatMul(x, w); s = Add(m, b); "
            "h = Mul(s, half); return s, h }");
}

TEST(Extract, DoesNotMindTheOrderOfTheList) {
  EXPECT_EQ(extracted(block(), {"g", "h", "s"}), extracted(block(), {"s", "h", "g"}));
}

TEST(Extract, TheWholeIsTheWhole) {
  const Graph graph = block();
  EXPECT_EQ(extracted(graph, {"half", "m", "s", "h", "g", "r"}),
            "graph(x: f32[4,8], w: param f32[8,8], b: param f32[8]) { half = Constant(value=0.5); m = MatMul(x, w); s = Add(m, b); "
            "h = Mul(s, half); g = Gelu(h); r = Add(g, x); return s, r }")
      << "outputs come in order of production";
}

TEST(Extract, KeepsOpaqueNodesWithTheirTypes) {
  const Graph graph = graph_from("graph(x: f32[4]) { y: f16[2] = Opaque:Warp(x, degree=3); z = Exp(y); return z }");
  EXPECT_EQ(extracted(graph, {"y"}), "graph(x: f32[4]) { y: f16[2] = Opaque:Warp(x, degree=3); return y }");
}

TEST(Extract, KeepsSymbols) {
  const Graph graph = graph_from("graph(x: f32[n]) { y = Exp(x); z = Neg(y); return z }");
  EXPECT_EQ(extracted(graph, {"z"}), "graph(y: f32[n]) { z = Neg(y); return z }");
}

}  // namespace
}  // namespace fuselab
