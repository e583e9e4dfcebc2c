// SPDX-License-Identifier: Apache-2.0
// Real workers on a GPU that is none, with sensors that say what a test wants: what becomes of a block, and of a comparison.
#include <gmock/gmock.h>

#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>

#include "app/engine/measure/paired_replay.h"
#include "app/gate/judge/replay_json.h"
#include "tests/faults/workers/worker_fixture.h"

namespace fuselab::engine {
namespace {

using testing::HasSubstr;
using testing::Not;

// A machine that is busy beside a test disturbs blocks as well: what is looked for is the device's part alone.
class CudaSensors : public testing::Test {
 protected:
  void SetUp() override {
    for (const auto& [name, value] : kFakes) setenv(name, value, 1);
    WorkerPoolOptions options;
    options.worker_program = worker_program();
    options.cache_directory = folder_.path() / "cache";
    options.lock_directory = folder_.path() / "locks";
    options.compile_workers = 1;
    pool_ = std::make_unique<WorkerPool>(options);
    const auto report = pool_->probe("cuda");
    ASSERT_TRUE(report.ok() && !report.value().devices.empty());
    device_ = report.value().devices.front();
  }
  void TearDown() override {
    for (const auto& [name, value] : kFakes) unsetenv(name);
    unsetenv("FUSELAB_FAKE_NVML");
  }

  Result<Plan> plan() {
    FL_TRY(const Graph graph, parse_graph("graph(x: f32[4,96]) { y = Softmax(x); return y }"));
    const std::string text = canonical_text(graph);
    FL_TRY(const wire::DescribeReply described, pool_->describe({"cuda", device_.target, text, OptimizationLevel::kO2}, {}));
    FL_TRY(CompiledKernel kernel,
           pool_->compile({"cuda", device_.target, text, described.default_config, OptimizationLevel::kO2}, {}));
    return whole_graph_plan("softmax", graph, std::move(kernel));
  }
  static Protocol brief() {
    Protocol protocol;
    protocol.samples = 5;
    protocol.warmup = 1;
    protocol.min_sample = {1};  // every run is one of the executor's
    return protocol;
  }
  Result<MeasuredBlock> measure() {
    FL_TRY(Plan softmax, plan());
    Block block;
    block.device = device_.id;
    block.protocol = brief();
    block.plans.push_back(std::move(softmax));
    return pool_->measure_fresh(device_, block, {}, false);
  }

  static constexpr std::pair<const char*, const char*> kFakes[] = {{"FUSELAB_LIB_CUDA", FAKE_DRIVER},
                                                                   {"FUSELAB_LIB_NVRTC", FAKE_NVRTC},
                                                                   {"FUSELAB_LIB_NVML", FAKE_NVML},
                                                                   {"FUSELAB_FAKE_CUDA_RUNNER", FAKE_RUNNER}};
  ScratchFolder folder_;
  std::unique_ptr<WorkerPool> pool_;
  DeviceInfo device_;
};

TEST_F(CudaSensors, ABlockTellsWhatTheyAndItsTimerSaid) {
  const auto measured = measure();
  ASSERT_TRUE(measured.ok()) << measured.error().message;
  EXPECT_EQ(measured.value().plans.front().outcome, Outcome::kTimed);
  EXPECT_THAT(measured.value().plans.front().reason, Not(HasSubstr("throttled: ")));
  const BlockConditions& conditions = measured.value().conditions;
  EXPECT_GE(conditions.device.readings, 2);
  EXPECT_EQ(conditions.device.core_mhz_high, 1980);
  EXPECT_EQ(conditions.device.driver, "550.54.15");
  EXPECT_EQ(conditions.timer.source, TimingSource::kDeviceEvents);
  EXPECT_EQ(conditions.timer.timings, kTimingsOfNothing);
}

TEST_F(CudaSensors, AThrottledBlockIsNoEvidenceAndACappedOneIs) {
  setenv("FUSELAB_FAKE_NVML", "reasons=8", 1);
  const auto throttled = measure();
  ASSERT_TRUE(throttled.ok()) << throttled.error().message;
  EXPECT_THAT(throttled.value().plans.front().reason,
              HasSubstr("disturbed while timing: the device was throttled: hardware slowdown"));
  setenv("FUSELAB_FAKE_NVML", "reasons=4", 1);
  const auto capped = measure();
  ASSERT_TRUE(capped.ok()) << capped.error().message;
  EXPECT_THAT(capped.value().plans.front().reason, Not(HasSubstr("throttled: ")));
  EXPECT_EQ(capped.value().conditions.device.throttle, kPowerCap);
}

TEST_F(CudaSensors, ThatAreNotThereLeaveTheFiguresAlone) {
  setenv("FUSELAB_LIB_NVML", "/nonexistent/libnvidia-ml.so.1", 1);
  const auto blind = measure();
  ASSERT_TRUE(blind.ok()) << blind.error().message;
  EXPECT_EQ(blind.value().plans.front().outcome, Outcome::kTimed);
  EXPECT_EQ(blind.value().conditions.device.unknown, "NVML: FUSELAB_LIB_NVML: /nonexistent/libnvidia-ml.so.1 not found");
  EXPECT_EQ(blind.value().conditions.device.readings, 0);
}

// The first process finds the file; the others do not.
TEST_F(CudaSensors, AThrottledProcessOfAComparisonIsDiscardedWholeAndTheOthersCount) {
  auto softmax = plan();
  ASSERT_TRUE(softmax.ok()) << softmax.error().message;
  const std::filesystem::path hot = folder_.path() / "hot";
  std::ofstream(hot) << "1";
  setenv("FUSELAB_FAKE_NVML", ("throttled-once=" + hot.string()).c_str(), 1);
  ReplaySpec spec{device_, softmax.value(), softmax.value(), brief(), {}, 1};
  spec.rule.least_processes = 2;
  spec.rule.most_processes = 2;
  spec.rule.first_rounds = 4;
  const auto replay = replay_in_pairs(*pool_, spec, {});
  ASSERT_TRUE(replay.ok()) << replay.error().message;
  const std::vector<ReplayedProcess>& processes = replay.value().processes;
  ASSERT_GE(processes.size(), 3U);
  EXPECT_EQ(replay.value().result.processes, 2) << "those that count";
  EXPECT_EQ(processes.size(), static_cast<std::size_t>(2 + replay.value().disturbed()));
  const nlohmann::json record = record_of(replay.value());
  const nlohmann::json& discarded = record.at("processes").at(0);
  EXPECT_EQ(discarded.at("disturbed"), "disturbed while timing: the device was throttled: thermal slowdown by the hardware");
  EXPECT_EQ(discarded.at("sensors").at("throttled_by"), "thermal slowdown by the hardware");
  for (std::size_t i = 1; i < processes.size(); ++i) EXPECT_THAT(processes[i].disturbed, Not(HasSubstr("throttled: "))) << i;
  EXPECT_EQ(record.at("processes").at(1).at("sensors").at("celsius"), 47);
  const auto again = replay_from(record, spec.rule);
  ASSERT_TRUE(again.ok()) << again.error().message;
  EXPECT_EQ(again.value().processes[0].conditions.device.throttle, kHardwareThermal);
  EXPECT_EQ(again.value().result.processes, 2) << "replayed from the record, it is left out again";
}

}  // namespace
}  // namespace fuselab::engine
