// SPDX-License-Identifier: Apache-2.0
// An untuned size takes the configuration of the nearest tuned one that its own space has.
#include "app/engine/execute/nearest_config.h"

#include <gtest/gtest.h>

#include "core/graph/graph_text.h"

namespace fuselab::engine {
namespace {

std::string text_of(int rows) {
  return "graph(x: f32[" + std::to_string(rows) + ",64]) { y = Relu(x); return y }";
}

Graph graph_of(int rows) {
  return parse_graph(text_of(rows)).value();
}

// Of each size the timed configurations, the fastest first.
class Stored final : public ResultQueries {
 public:
  void add(int rows, const std::vector<std::string>& configs, const std::string& metric = "warm") {
    PieceRecord piece;
    piece.canonical_text = canonical_text(graph_of(rows));
    piece.key = std::to_string(rows);
    catalog_.pieces.push_back(piece);
    for (const std::string& config : configs) {
      TrialRow row;
      row.config = config;
      row.metric_key = metric;
      rows_[piece.key].push_back(row);
    }
  }
  Stored() {
    MetricIdentity warm, cold;
    cold.mode = CacheMode::kCold;
    catalog_.metrics = {{"warm", warm}, {"cold", cold}};
  }

  Result<std::vector<TrialRow>> page(const TrialFilter& filter, TrialOrder, std::int64_t, std::int64_t) override {
    EXPECT_TRUE(filter.only_timed && filter.device_id == "cpu:0");
    return rows_[filter.piece_key];
  }
  Result<Catalog> catalog() override { return catalog_; }

  Result<std::int64_t> count_trials(const TrialFilter&) override { return Error{}; }
  Result<std::vector<std::pair<std::string, std::int64_t>>> count_by_outcome(const TrialFilter&) override { return Error{}; }
  Result<std::optional<TrialRecord>> trial(const std::string&) override { return Error{}; }
  Result<std::vector<TrialRecord>> find_valid(const std::string&, const std::string&, const std::string&) override {
    return Error{};
  }
  Result<std::vector<TrialRecord>> evidence(const EvidenceKey&, const std::vector<std::string>&, const std::string&) override {
    return Error{};
  }
  Result<std::optional<CompiledKernel>> kernel(const std::string&, std::string*) override { return Error{}; }
  Result<std::optional<TuningRecord>> tuning(const EvidenceKey&, const std::string&) override { return Error{}; }
  Result<std::optional<GainRecord>> gain(const PlanPairKey&) override { return Error{}; }
  Result<std::vector<ProfileRecord>> profiles(const std::string&, const std::string&, const std::string&) override {
    return Error{};
  }

 private:
  Catalog catalog_;
  std::map<std::string, std::vector<TrialRow>> rows_;
};

ParameterSpace space_of(std::vector<ParameterValue> values) {
  ParameterSpace space;
  EXPECT_TRUE(space.add(Parameter{"a", "", std::move(values)}).ok());
  return space;
}

const ParameterSpace kSpace = space_of({std::int64_t{1}, std::int64_t{2}, std::int64_t{4}});

TEST(NearestConfigs, TakeTheNearestTunedSize) {
  Stored stored;
  stored.add(16, {"a=1", "a=2", "a=4"});
  stored.add(120, {"a=4", "a=1", "a=2"});
  NearestConfigs nearest(stored);
  const auto found = nearest.find(graph_of(100), "cpu:0", kSpace);
  ASSERT_TRUE(found.ok() && found.value());
  EXPECT_EQ(found.value()->config.text(), "a=4");
  EXPECT_EQ(found.value()->note, "in the configuration of f32[120,64], the nearest size that was tuned");
}

TEST(NearestConfigs, PassOverWhatTeachesNothing) {
  Stored stored;
  stored.add(100, {"a=4", "a=1", "a=2"});         // the size itself: its own figures are used elsewhere
  stored.add(96, {"a=4"});                        // never tuned
  stored.add(90, {"a=8", "a=1", "a=2"});          // no value of this space
  stored.add(80, {"a=4", "a=1", "a=2"}, "cold");  // another metric
  stored.add(100'000, {"a=4", "a=1", "a=2"});     // too far
  NearestConfigs nearest(stored);
  const auto found = nearest.find(graph_of(100), "cpu:0", kSpace);
  ASSERT_TRUE(found.ok());
  EXPECT_FALSE(found.value()) << found.value()->note;
}

TEST(NearestConfigs, AreOfTheSameOperators) {
  Stored stored;
  stored.add(120, {"a=4", "a=1", "a=2"});
  NearestConfigs nearest(stored);
  const auto other = parse_graph("graph(x: f32[100,64]) { y = Exp(x); return y }");
  const auto found = nearest.find(other.value(), "cpu:0", kSpace);
  ASSERT_TRUE(found.ok());
  EXPECT_FALSE(found.value());
}

}  // namespace
}  // namespace fuselab::engine
