// SPDX-License-Identifier: Apache-2.0
// A kernel that beats its ceiling has that ceiling measured again; how often, and which.
#include <algorithm>

#include "app/session/calibration.h"
#include "core/graph/graph_text.h"
#include "tests/faults/support/job_fixture.h"

namespace fuselab::session {
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
  bool doubt(const std::string& graph_text, bool memory_bound) {
    Graph const graph = parse_graph(graph_text).value();
    auto const again = calibration_->doubt(graph, cost_of(graph).value(), memory_bound);
    EXPECT_TRUE(again.ok()) << again.error().message;
    return again.ok() && again.value();
  }

  Config config_;
  JobSpec spec_;
  EventQueue events_;
  PauseGate gate_;
  std::unique_ptr<EvidenceReader> evidence_;
  std::unique_ptr<JobContext> context_;
  std::unique_ptr<Calibration> calibration_;
};

constexpr const char* kRelu = "graph(x: f32[4096]) { y = Relu(x); return y }";
constexpr const char* kTanh = "graph(x: f32[4096]) { y = Tanh(x); return y }";
constexpr const char* kLargeRelu = "graph(x: f32[65536]) { y = Relu(x); return y }";

TEST_F(BeatenCeiling, IsDoubtedThreeTimesPerJobWhoeverBeatsIt) {
  for (int doubt_count = 1; doubt_count <= Calibration::kDoubts; ++doubt_count) {
    EXPECT_TRUE(doubt(doubt_count == 2 ? kTanh : kRelu, /*memory_bound=*/true)) << "both are of one stream class";
    EXPECT_EQ(measured("stream"), doubt_count);
  }
  EXPECT_FALSE(doubt(kRelu, true));
  EXPECT_FALSE(doubt(kTanh, true));
  EXPECT_EQ(measured("stream"), Calibration::kDoubts);
  EXPECT_TRUE(doubt(kLargeRelu, true)) << "another size class is another limit";
  EXPECT_GT(calibration_->seconds(), 0);
}

TEST_F(BeatenCeiling, IsTheOnlyOneThatIsMeasuredAgain) {
  EXPECT_TRUE(doubt(kRelu, /*memory_bound=*/true));
  EXPECT_EQ(measured("flops"), 0) << "its arithmetic rate was not beaten";
  for (int doubt_count = 1; doubt_count <= Calibration::kDoubts; ++doubt_count) {
    EXPECT_TRUE(doubt(doubt_count == 2 ? kLargeRelu : kRelu, /*memory_bound=*/false));
    EXPECT_EQ(measured("flops"), doubt_count);
  }
  EXPECT_FALSE(doubt(kLargeRelu, false));
  EXPECT_EQ(measured("stream"), 1);
}

TEST_F(BeatenCeiling, IsMeasuredOnceForEachSizeClass) {
  for (int const elements : {700, 1000, 1500, 2100, 3000, 4096, 6000, 92682, 131072, 185364}) {
    Graph const graph = parse_graph("graph(x: f32[" + std::to_string(elements) + "]) { y = Relu(x); return y }").value();
    Cost const cost = cost_of(graph).value();
    ASSERT_TRUE(calibration_->cover(graph, cost).ok());
    auto const once = measured("stream");
    ASSERT_TRUE(calibration_->cover(graph, cost).ok());
    EXPECT_EQ(measured("stream"), once) << elements << " elements";
  }
}

TEST_F(BeatenCeiling, ThatIsStoredTooHighGoesWhenItIsMeasuredAgain) {
  Graph const graph = parse_graph(kRelu).value();
  Cost const cost = cost_of(graph).value();
  ASSERT_TRUE(calibration_->cover(graph, cost).ok());
  CeilingTable const honest = calibration_->table();
  CeilingTable high = honest;
  for (Ceiling& row : high.rows) row.per_second = row.low = row.high = 100 * row.per_second;
  StoreBatch batch;
  batch.ceilings.emplace_back(environment_.key().hex(), high);
  ASSERT_TRUE(database_->store().commit(batch).ok());

  Calibration trusting(*context_, device_, environment_.key().hex());
  ASSERT_TRUE(trusting.cover(graph, cost).ok());
  EXPECT_DOUBLE_EQ(trusting.table().peak_flops(), high.rows.front().per_second) << "nobody asked to measure again";

  spec_.remeasure = true;
  Calibration doubting(*context_, device_, environment_.key().hex());
  for (int once_and_again = 0; once_and_again < 2; ++once_and_again) {
    ASSERT_TRUE(doubting.cover(graph, cost).ok());
    ASSERT_EQ(doubting.table().rows.size(), honest.rows.size());
    for (std::size_t row = 0; row < honest.rows.size(); ++row)
      EXPECT_DOUBLE_EQ(doubting.table().rows[row].per_second, honest.rows[row].per_second) << honest.rows[row].kind;
  }
  EXPECT_EQ(database_->queries().catalog().value().ceilings.front().second.rows.size(), honest.rows.size());
}

}  // namespace
}  // namespace fuselab::session
