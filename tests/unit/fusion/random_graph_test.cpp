// SPDX-License-Identifier: Apache-2.0
#include <map>
#include <set>

#include "random_graph.h"

namespace fuselab {
namespace {

using testing::fused;
using testing::option_sets;
using testing::RandomGraph;

class RandomGraphFusion : public ::testing::TestWithParam<int> {};

// Operators that some output depends on.
std::set<NodeId> needed_nodes(const Graph& graph) {
  std::set<NodeId> needed;
  std::vector<ValueId> open = graph.outputs();
  while (!open.empty()) {
    const auto producer = graph.value(open.back()).producer;
    open.pop_back();
    if (!producer || graph.node(*producer).op == Op::kConstant || !needed.insert(*producer).second) continue;
    for (ValueId input : graph.node(*producer).inputs) open.push_back(input);
  }
  return needed;
}

TEST_P(RandomGraphFusion, PiecesCoverEveryNodeOnceInAnOrderThatCanRun) {
  const RandomGraph random(static_cast<std::uint64_t>(GetParam()));
  for (const auto& options : option_sets()) {
    const auto result = fused(random.graph(), options);
    const Graph& graph = result.graph;  // with what is computed anew
    const auto needed = needed_nodes(graph);
    std::set<NodeId> origins;
    for (NodeId id : needed) origins.insert(result.origin(id));
    EXPECT_EQ(origins, needed_nodes(random.graph())) << named_text(graph);
    std::map<NodeId, std::size_t> place;
    for (std::size_t i = 0; i < result.operations.size(); ++i) {
      int operators = 0;
      for (NodeId id : result.operations[i].nodes) {
        EXPECT_TRUE(place.emplace(id, i).second) << "a node is in two pieces: " << named_text(graph);
        operators += is_view(graph.node(id).op) ? 0 : 1;
      }
      EXPECT_LE(operators, options.max_fusion_ops + kPatternAllowance);
      EXPECT_TRUE(validate(result.operations[i]).valid());
    }
    std::size_t crossing = 0;
    for (std::size_t n = 0; n < graph.nodes().size(); ++n) {
      const NodeId consumer{static_cast<std::uint32_t>(n)};
      if (!needed.count(consumer)) {
        EXPECT_FALSE(place.count(consumer)) << named_text(graph);
        continue;
      }
      ASSERT_TRUE(place.count(consumer)) << named_text(graph);
      std::set<NodeId> producers;
      for (ValueId input : graph.node(consumer).inputs) {
        const auto& producer = graph.value(input).producer;
        if (producer && place.count(*producer) != 0) producers.insert(*producer);
      }
      for (NodeId producer : producers) {
        EXPECT_LE(place.at(producer), place.at(consumer)) << named_text(graph);
        crossing += place.at(producer) != place.at(consumer) ? 1 : 0;
      }
    }
    EXPECT_EQ(result.rejected.size(), crossing);
    for (const auto& rejected : result.rejected) EXPECT_FALSE(rejected.reason.empty()) << named_text(graph);
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomGraphFusion, ::testing::Range(1, 61));

TEST(RandomGraphs, AreReallyFused) {
  int pieces = 0;
  int operators = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    const auto result = fused(RandomGraph(seed).graph());
    pieces += result.fused_op_count;
    operators += result.original_op_count;
  }
  EXPECT_LT(pieces * 4, operators * 3) << "random graphs that never fuse prove nothing";
}

}  // namespace
}  // namespace fuselab
