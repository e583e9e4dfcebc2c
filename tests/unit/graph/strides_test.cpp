// SPDX-License-Identifier: Apache-2.0
// Where row-major tensors have their elements, also where they are broadcast or multiplied as matrices.
#include <gtest/gtest.h>

#include "core/cost/matrix_product.h"
#include "core/cost/memory_of.h"
#include "core/extents/strides.h"
#include "core/graph/graph_text.h"

namespace fuselab {
namespace {

using Extents = std::vector<std::int64_t>;

MatrixProduct product_in(const char* text) {
  const Graph graph = parse_graph(text).value();
  const Node& node = graph.nodes().front();
  return matrix_product_of(node, extents_of(graph.type(node.inputs[0]).shape), extents_of(graph.type(node.inputs[1]).shape));
}

TEST(Strides, GoThroughARowMajorTensor) {
  EXPECT_EQ(strides_of(Extents{2, 1, 3}), (Extents{3, 3, 1}));
  EXPECT_EQ(strides_of(Extents{}), Extents{});
  EXPECT_EQ(product_of(Extents{2, 1, 3}), 6);
  EXPECT_EQ(product_of(Extents{}), 1);
}

TEST(Strides, StandStillWhereATensorIsBroadcast) {
  EXPECT_EQ(broadcast_strides(Extents{2, 1, 3}, 4), (Extents{0, 3, 0, 1}));
  const BroadcastIndex index(Extents{2, 2, 3}, Extents{2, 1, 3});
  const Extents read{index(0), index(3), index(5), index(6), index(11)};
  EXPECT_EQ(read, (Extents{0, 0, 2, 3, 5}));
}

TEST(MatrixProduct, HasStridesForTransposedOperands) {
  const MatrixProduct p = product_in("graph(x: f32[5,3], w: f32[4,5]) { p = Gemm(x, w, transA=1, transB=1); return p }");
  EXPECT_EQ((Extents{p.rows, p.columns, p.depth}), (Extents{3, 4, 5}));
  EXPECT_EQ((Extents{p.a_row, p.a_depth, p.b_depth, p.b_column}), (Extents{1, 3, 1, 5}));
}

TEST(MatrixProduct, BeginsAnewForEachOfABatch) {
  const MatrixProduct p = product_in("graph(x: f32[2,1,4,5], y: f32[3,5,6]) { p = MatMul(x, y); return p }");
  EXPECT_EQ(p.a_base, (Extents{0, 0, 0, 20, 20, 20}));
  EXPECT_EQ(p.b_base, (Extents{0, 30, 60, 0, 30, 60}));
  EXPECT_EQ(product_in("graph(x: f32[7], y: f32[7]) { p = MatMul(x, y); return p }").depth, 7);
}

TEST(MemoryOf, LooksThroughViews) {
  const Graph graph =
      parse_graph(
          "graph(x: f32[6,8]) { r = Reshape(x, shape=[48]); i = Identity(r); n = Neg(i); f = Unsqueeze(n, axes=[0]); return f }")
          .value();
  EXPECT_EQ(memory_of(graph, graph.nodes()[1].outputs.front()), graph.inputs().front());
  EXPECT_EQ(memory_of(graph, graph.outputs().front()), graph.nodes()[2].outputs.front());
}

}  // namespace
}  // namespace fuselab
