// SPDX-License-Identifier: Apache-2.0
#include "core/graph/node_axes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "core/graph/graph_text.h"

namespace fuselab {
namespace {

using ::testing::ElementsAre;

// A graph of one operator, and its node.
struct One {
  explicit One(const std::string& text) : graph(parse_graph("graph(" + text + "; return v }").value()) {}
  const Node& node() const { return graph.nodes().front(); }
  Graph graph;
};

TEST(NodeAxes, TransposeTurnsAllAxesByDefault) {
  const One given("x: f32[2,3,4]) { v = Transpose(x, perm=[2,0,1])"), usual("x: f32[2,3,4]) { v = Transpose(x)");
  EXPECT_THAT(permutation_of(given.graph, given.node()), ElementsAre(2, 0, 1));
  EXPECT_THAT(permutation_of(usual.graph, usual.node()), ElementsAre(2, 1, 0));
}

std::string sliced(const std::string& text) {
  const One one(text);
  std::string all;
  for (const SlicedAxis& each : sliced_axes(one.graph, one.node()))
    all += std::to_string(each.axis) + ":" + std::to_string(each.start) + "+" + std::to_string(each.step) + " ";
  return all;
}

TEST(NodeAxes, SliceCountsFromTheFrontAndStaysInside) {
  EXPECT_EQ(sliced("x: f32[8,9]) { v = Slice(x, starts=[1,-4], ends=[7,100], steps=[3,2])"), "0:1+3 1:5+2 ");
  EXPECT_EQ(sliced("x: f32[8,9]) { v = Slice(x, starts=[100], ends=[-100], axes=[-1], steps=[-2])"), "1:8+-2 ");
  EXPECT_EQ(sliced("x: f32[8,9]) { v = Slice(x, starts=[-100], ends=[3])"), "0:0+1 ");
}

// Times a stride, such a step has no place in 64 bits.
TEST(NodeAxes, AStepThatIsNeverTakenIsOne) {
  EXPECT_EQ(sliced("x: f32[8,9]) { v = Slice(x, starts=[2], ends=[8], steps=[9223372036854775807])"), "0:2+1 ");
}

TEST(NodeAxes, RowOperatorsSayAlongWhichAxes) {
  const std::pair<const char*, std::vector<std::size_t>> cases[] = {
      {"x: f32[2,3,4]) { v = ReduceSum(x, axes=[-1,0])", {0, 2}},
      {"x: f32[2,3,4]) { v = ReduceProd(x)", {0, 1, 2}},
      {"x: f32[2,3,4]) { v = ReduceMax(x, noop_with_empty_axes=1)", {}},
      {"x: f32[2,3,4]) { v = Softmax(x)", {2}},
      {"x: f32[2,3,4,5]) { v = GlobalAveragePool(x)", {2, 3}},
      {"x: f32[2,3,4], s: f32[3,4]) { v = RMSNormalization(x, s, axis=1)", {1, 2}},
      {"x: f32[2,3,4]) { v = Relu(x)", {}}};
  for (const auto& [text, axes] : cases) {
    const One one(text);
    EXPECT_EQ(reduced_axes(one.graph, one.node()), axes) << text;
  }
}

TEST(NodeAxes, WindowsHaveOnnxDefaults) {
  const One convolution("x: f32[1,2,9,8], w: f32[4,2,3,2]) { v = Conv(x, w, pads=[1,0,2,3], strides=[2,1])");
  const SlidingWindows windows = sliding_windows(convolution.graph, convolution.node());
  EXPECT_THAT(windows.input, ElementsAre(9, 8));
  EXPECT_THAT(windows.kernel, ElementsAre(3, 2));
  EXPECT_THAT(windows.strides, ElementsAre(2, 1));
  EXPECT_THAT(windows.dilations, ElementsAre(1, 1));
  EXPECT_THAT(windows.before, ElementsAre(1, 0));
  EXPECT_THAT(windows.after, ElementsAre(2, 3));
  const One pool("x: f32[1,2,9]) { v = MaxPool(x, kernel_shape=[3])");
  EXPECT_THAT(sliding_windows(pool.graph, pool.node()).kernel, ElementsAre(3));
  EXPECT_THAT(sliding_windows(pool.graph, pool.node()).after, ElementsAre(0));
}

}  // namespace
}  // namespace fuselab
