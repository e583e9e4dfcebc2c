// SPDX-License-Identifier: Apache-2.0
// A kernel that beats its ceiling has that ceiling measured again; how often, and which.
#include <algorithm>

#include "app/engine/kernels/evidence_reader.h"
#include "app/engine/measure/calibration.h"
#include "core/graph/graph_text.h"
#include "tests/faults/support/job_fixture.h"

namespace fuselab::engine {
namespace {

class BeatenCeiling : public JobTest {
 protected:
  void SetUp() override {
    JobTest::SetUp();
    evidence_ = std::make_unique<EvidenceReader>(*workers_, database_->queries(), "O2", std::stop_token(), "");
    context_ = std::make_unique<JobContext>(JobContext{
        config_, spec_, *workers_, database_->store(), database_->queries(), *evidence_, events_, gate_, {}, "run", "metric"});
    calibration_ = std::make_unique<Calibration>(*context_, device_, environment_.key().hex());
  }

  std::ptrdiff_t measured(const std::string& kind) const {
    const auto& rows = calibration_->table().rows;
    return std::count_if(rows.begin(), rows.end(), [&](const Ceiling& row) { return row.kind == kind; });
  }
  bool measured_again(const std::string& graph_text, bool memory_bound) {
    const Graph graph = parse_graph(graph_text).value();
    const auto again = calibration_->measure_again(graph, cost_of(graph).value(), memory_bound);
    EXPECT_TRUE(again.ok()) << again.error().message;
    return again.ok() && again.value();
  }

  Config config_;
  JobSpec spec_;
  EventQueue events_;
  PausePoint gate_;
  std::unique_ptr<EvidenceReader> evidence_;
  std::unique_ptr<JobContext> context_;
  std::unique_ptr<Calibration> calibration_;
};

constexpr const char* kRelu = "graph(x: f32[4096]) { y = Relu(x); return y }";
constexpr const char* kTanh = "graph(x: f32[4096]) { y = Tanh(x); return y }";
constexpr const char* kLargeRelu = "graph(x: f32[65536]) { y = Relu(x); return y }";

TEST_F(BeatenCeiling, IsMeasuredAgainThreeTimesPerJobWhoeverBeatsIt) {
  for (int times = 1; times <= Calibration::kMostRemeasurements; ++times) {
    EXPECT_TRUE(measured_again(times == 2 ? kTanh : kRelu, /*memory_bound=*/true)) << "both are of one stream class";
    EXPECT_EQ(measured("stream"), times);
  }
  EXPECT_FALSE(measured_again(kRelu, true));
  EXPECT_FALSE(measured_again(kTanh, true));
  EXPECT_EQ(measured("stream"), Calibration::kMostRemeasurements);
  EXPECT_TRUE(measured_again(kLargeRelu, true)) << "another size class is another limit";
  EXPECT_GT(calibration_->seconds(), 0);
}

TEST_F(BeatenCeiling, IsTheOnlyOneThatIsMeasuredAgain) {
  EXPECT_TRUE(measured_again(kRelu, /*memory_bound=*/true));
  EXPECT_EQ(measured("flops"), 0) << "its arithmetic rate was not beaten";
  for (int times = 1; times <= Calibration::kMostRemeasurements; ++times) {
    EXPECT_TRUE(measured_again(times == 2 ? kLargeRelu : kRelu, /*memory_bound=*/false));
    EXPECT_EQ(measured("flops"), times);
  }
  EXPECT_FALSE(measured_again(kLargeRelu, false));
  EXPECT_EQ(measured("stream"), 1);
}

TEST_F(BeatenCeiling, IsMeasuredOnceForEachSizeClass) {
  for (const int elements : {700, 1000, 1500, 2100, 3000, 4096, 6000, 92682, 131072, 185364}) {
    const Graph graph = parse_graph("graph(x: f32[" + std::to_string(elements) + "]) { y = Relu(x); return y }").value();
    const Cost cost = cost_of(graph).value();
    ASSERT_TRUE(calibration_->cover(graph, cost).ok());
    const auto once = measured("stream");
    ASSERT_TRUE(calibration_->cover(graph, cost).ok());
    EXPECT_EQ(measured("stream"), once) << elements << " elements";
  }
}

TEST_F(BeatenCeiling, ThatIsStoredTooHighGoesWhenItIsMeasuredAgain) {
  const Graph graph = parse_graph(kRelu).value();
  const Cost cost = cost_of(graph).value();
  ASSERT_TRUE(calibration_->cover(graph, cost).ok());
  const CeilingTable honest = calibration_->table();
  CeilingTable high = honest;
  for (Ceiling& row : high.rows) row.per_second = row.low = row.high = 100 * row.per_second;
  StoreBatch batch;
  batch.ceilings.emplace_back(environment_.key().hex(), high);
  ASSERT_TRUE(database_->store().commit(batch).ok());

  Calibration trusting(*context_, device_, environment_.key().hex());
  ASSERT_TRUE(trusting.cover(graph, cost).ok());
  EXPECT_DOUBLE_EQ(trusting.table().peak_flops(), high.rows.front().per_second) << "nobody asked to measure again";

  spec_.remeasure = true;
  Calibration again(*context_, device_, environment_.key().hex());
  for (int once_and_again = 0; once_and_again < 2; ++once_and_again) {
    ASSERT_TRUE(again.cover(graph, cost).ok());
    ASSERT_EQ(again.table().rows.size(), honest.rows.size());
    for (std::size_t row = 0; row < honest.rows.size(); ++row)
      EXPECT_DOUBLE_EQ(again.table().rows[row].per_second, honest.rows[row].per_second) << honest.rows[row].kind;
  }
  EXPECT_EQ(database_->queries().catalog().value().ceilings.front().second.rows.size(), honest.rows.size());
}

}  // namespace
}  // namespace fuselab::engine
