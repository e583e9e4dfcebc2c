// SPDX-License-Identifier: Apache-2.0
// A kernel that beats its ceiling has that ceiling measured again; how often, and which.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "app/session/calibration.h"
#include "core/graph/graph_text.h"
#include "core/platform/machine.h"
#include "db/database.h"

namespace fuselab::session {
namespace {

namespace fs = std::filesystem;

class BeatenCeiling : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("fuselab-ceiling-" + std::to_string(getpid()));
    fs::create_directories(folder_);
    auto opened = db::Database::open(folder_ / "ceilings.db", db::Access::kWrite, std::make_shared<db::Trust>(folder_ / "keys"));
    ASSERT_TRUE(opened.ok()) << opened.error().message;
    database_ = std::move(opened).value();
    HouseOptions options;
    options.worker_program = FUSELAB_WORKER;
    options.cache_directory = folder_ / "cache";
    workers_ = std::make_unique<WorkerHouse>(options);
    auto const found = workers_->probe("null");
    ASSERT_TRUE(found.ok()) << found.error().message;
    device_ = found.value().devices.at(0);
    auto const environment = platform::environment_identity(platform::machine_facts(), device_, "test");
    StoreBatch batch;
    batch.devices.push_back(device_);
    batch.environments.push_back(environment);
    ASSERT_TRUE(database_->store().commit(batch).ok());
    evidence_ = std::make_unique<EvidenceReader>(*workers_, database_->queries(), "O2", std::stop_token(), "");
    context_ = std::make_unique<JobContext>(JobContext{
        config_, spec_, *workers_, database_->store(), database_->queries(), *evidence_, events_, gate_, {}, "run", "metric"});
    calibration_ = std::make_unique<Calibration>(*context_, device_, environment.key().hex());
  }
  void TearDown() override {
    calibration_.reset();
    workers_.reset();
    database_.reset();
    fs::remove_all(folder_);
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

  fs::path folder_;
  Config config_;
  JobSpec spec_;
  EventQueue events_;
  PauseGate gate_;
  DeviceInfo device_;
  std::unique_ptr<db::Database> database_;
  std::unique_ptr<WorkerHouse> workers_;
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

}  // namespace
}  // namespace fuselab::session
