// SPDX-License-Identifier: Apache-2.0
#include "app/engine/execute/placement.h"

#include <gmock/gmock.h>

#include "core/graph/graph_text.h"

namespace fuselab::engine {
namespace {

using testing::HasSubstr;

// Three pieces one after the other, each of its own kind; 1 KiB between them.
ExecutionGraph chain() {
  Subject subject;
  subject.graph = parse_graph("graph(i0: f32[16,16]) { v0 = Softmax(i0); v1 = Relu(v0); v2 = Tanh(v1); return v2 }").value();
  return execution_graph(cut(std::move(subject), OptimizationLevel::kO0).value()).value();
}

DeviceEstimate measured(const std::string& id, double ns) {
  return {id, EstimateSource::kMeasured, ns, ns * 0.99, ns * 1.01, ""};
}

// Fastest first, as the selector gives them.
Selection selection_of(double cpu_ns, double gpu_ns) {
  Selection selection;
  selection.estimates = {measured("cpu:0", cpu_ns), measured("gpu:0", gpu_ns)};
  if (gpu_ns < cpu_ns) std::swap(selection.estimates[0], selection.estimates[1]);
  selection.chosen = 0;
  selection.reason = "own";
  return selection;
}

std::vector<std::string> devices_of(const std::vector<Selection>& selections) {
  std::vector<std::string> devices;
  for (const Selection& selection : selections) devices.push_back(selection.estimates[*selection.chosen].device_id);
  return devices;
}

HandOverCosts costs(double fixed_ns, double ns_per_byte) {
  return {{"cpu:0", {fixed_ns, ns_per_byte}}, {"gpu:0", {fixed_ns, ns_per_byte}}};
}

TEST(Placement, APieceStaysWithItsNeighboursWhereHandingOverCostsMoreThanItSaves) {
  const ExecutionGraph graph = chain();
  std::vector<Selection> selections = {selection_of(100, 500), selection_of(200, 150), selection_of(100, 500)};
  place_together(graph, costs(1000, 0.1), selections);
  EXPECT_THAT(devices_of(selections), testing::Each(std::string("cpu:0")));
  EXPECT_EQ(selections[0].reason, "own");
  EXPECT_THAT(selections[1].reason, HasSubstr("where its neighbours run: gpu:0 would take 150 ns"));
}

TEST(Placement, APieceMovesWhereThatSavesMore) {
  const ExecutionGraph graph = chain();
  std::vector<Selection> selections = {selection_of(100, 50'000), selection_of(20'000, 150), selection_of(100, 50'000)};
  place_together(graph, costs(1000, 0.1), selections);
  EXPECT_THAT(devices_of(selections), testing::ElementsAre("cpu:0", "gpu:0", "cpu:0"));
  EXPECT_EQ(selections[1].reason, "own");
}

TEST(Placement, AWholeRunGoesElsewhereWhereOneMoveAloneWouldNotPay) {
  const ExecutionGraph graph = chain();
  std::vector<Selection> selections = {selection_of(1000, 1100), selection_of(1000, 300), selection_of(1000, 1100)};
  place_together(graph, costs(5000, 0), selections);
  EXPECT_THAT(devices_of(selections), testing::Each(std::string("gpu:0")));
}

TEST(Placement, CountsWhatIsReadAndWrittenInEachStage) {
  const ExecutionGraph graph = chain();
  const std::vector<Selection> together(3, selection_of(10, 20));
  EXPECT_DOUBLE_EQ(run_ns(graph, costs(100, 1), together), 3 * 10 + 100 + 2 * 1024) << "one stage: what goes in and what comes out";
  std::vector<Selection> apart = together;
  apart[1].chosen = 1;
  EXPECT_DOUBLE_EQ(run_ns(graph, costs(100, 1), apart), 10 + 20 + 10 + 3 * (100 + 2 * 1024));
}

TEST(Placement, AnEstimateCountsAtItsWorst) {
  const ExecutionGraph graph = chain();
  std::vector<Selection> selections(3, selection_of(1000, 2000));
  for (Selection& selection : selections) {
    selection.estimates[1].source = EstimateSource::kRule;
    selection.estimates[1].ns = 10;
    selection.estimates[1].high = 1010;
  }
  place_together(graph, costs(0, 0), selections);
  EXPECT_THAT(devices_of(selections), testing::Each(std::string("cpu:0")));
}

TEST(Placement, NothingIsMeasuredWhereItCannotMatter) {
  std::vector<Selection> selections(3, selection_of(10, 20));
  EXPECT_FALSE(handing_over_matters(selections, {"cpu:0"}));
  EXPECT_TRUE(handing_over_matters(selections, {})) << "the chosen one copies, the other might not";
  selections[1].chosen = 1;
  EXPECT_TRUE(handing_over_matters(selections, {"cpu:0", "gpu:0"}));
  EXPECT_FALSE(handing_over_matters({Selection(), Selection()}, {}));
}

}  // namespace
}  // namespace fuselab::engine
