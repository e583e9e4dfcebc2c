// SPDX-License-Identifier: Apache-2.0
#include "core/tensor/index_range.h"

#include <gtest/gtest.h>

#include "core/graph/graph_text.h"

namespace fuselab {
namespace {

// What is wrong with input `i`; "" where nothing is.
std::string wrong_in(const char* text, const std::vector<double>& numbers) {
  const Graph graph = parse_graph(text).value();
  for (const ValueId input : graph.inputs()) {
    if (graph.value(input).name != "i") continue;
    const auto wrong = find_wrong_index(graph, input, {graph.type(input), numbers});
    EXPECT_EQ(names_entries(graph, input), std::string(text).find("Add") == std::string::npos);
    return wrong ? wrong_index_text(*wrong, graph.type(input)) + "; " + std::to_string(wrong->count) : "";
  }
  return "no input i";
}

TEST(IndexRange, NamesTheFirstIndexThatIsOutOfRangeAndItsPlace) {
  const char* const rows = "graph(x: f32[3,2], i: i64[2,2]) { y = Gather(x, i); return y }";
  EXPECT_EQ(wrong_in(rows, {0, -3, 2, 1}), "");
  EXPECT_EQ(wrong_in(rows, {0, 1, 3, -4}), "index 3 at [1,0] is out of range: Gather reads one of 3 entries, -3 to 2; 2");
  EXPECT_EQ(wrong_in("graph(x: f32[3,2], i: i64[]) { y = Gather(x, i, axis=-1); return y }", {2}),
            "index 2 is out of range: Gather reads one of 2 entries, -2 to 1; 1");
}

TEST(IndexRange, IsAColumnsOwnForTuples) {
  const char* const tuples = "graph(x: f32[3,9,2], i: i64[2,2]) { y = GatherND(x, i); return y }";
  EXPECT_EQ(wrong_in(tuples, {2, 8, 0, -9}), "");
  EXPECT_EQ(wrong_in(tuples, {2, 8, 3, 0}), "index 3 at [1,0] is out of range: GatherND reads one of 3 entries, -3 to 2; 1");
}

TEST(IndexRange, DoesNotCountFromTheEndForLabelsAndPositions) {
  const char* const labels = "graph(x: f32[2,5], i: i64[2]) { y = SoftmaxCrossEntropyLoss(x, i, ignore_index=-100); return y }";
  EXPECT_EQ(wrong_in(labels, {4, -100}), "");
  EXPECT_NE(wrong_in(labels, {4, -1}), "");
  const char* const positions =
      "graph(x: f32[1,1,2,4], c: f32[3,2], s: f32[3,2], i: i64[1,2]) { y = RotaryEmbedding(x, c, s, i); return y }";
  EXPECT_EQ(wrong_in(positions, {0, 2}), "");
  EXPECT_NE(wrong_in(positions, {0, -1}), "");
}

TEST(IndexRange, FollowsViewsAndWiderTypesButNoArithmetic) {
  EXPECT_NE(wrong_in("graph(x: f32[3,2], i: i32[2,2]) { f = Reshape(i, shape=[4]); c = Cast(f, to=\"i64\"); t = Transpose(c); "
                     "y = Gather(x, t); return y }",
                     {0, 0, 0, 7}),
            "");
  EXPECT_EQ(wrong_in("graph(x: f32[3,2], i: i64[2]) { d = Add(i, i); y = Gather(x, d); return y }", {0, 7}), "");
}

}  // namespace
}  // namespace fuselab
