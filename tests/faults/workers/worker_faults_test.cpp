// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <atomic>
#include <fstream>
#include <set>
#include <thread>

#include "app/engine/workers/final_results.h"
#include "core/platform/files/file_lock.h"
#include "core/platform/system/clock.h"
#include "tests/faults/workers/worker_fixture.h"

namespace fuselab::engine {
namespace {

using testing::HasSubstr;
using WorkerFaults = WorkerFixture;

// Pids of this process's children.
std::vector<int> children() {
  std::vector<int> pids;
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
    std::ifstream file(task.path() / "children");
    for (int pid = 0; file >> pid;) pids.push_back(pid);
  }
  return pids;
}

TEST_F(WorkerFaults, EachScriptIsOneOutcomeAndTheRestOfTheBlockIsMeasured) {
  const Block block = block_of({"none", "crash", "none", "hang", "wrong", "oom", "launch-error", "none"});
  const auto measured = pool_->measure(device_, block, {});
  ASSERT_TRUE(measured.ok()) << measured.error().message;
  const auto& plans = measured.value().plans;
  ASSERT_EQ(plans.size(), 8U);
  for (const std::size_t good : {0U, 2U, 7U}) {
    EXPECT_EQ(plans[good].outcome, Outcome::kTimed) << plans[good].reason;
    EXPECT_EQ(plans[good].samples.size(), 15U);
    EXPECT_TRUE(plans[good].verification.passed);
  }
  EXPECT_EQ(plans[1].outcome, Outcome::kCrashed);
  EXPECT_THAT(plans[1].reason, HasSubstr("was killed by signal 6 (SIGABRT)"));
  EXPECT_TRUE(is_final(plans[1]));
  EXPECT_EQ(plans[3].outcome, Outcome::kTimeout);
  EXPECT_THAT(plans[3].reason, HasSubstr("longer than 300 ms"));
  EXPECT_EQ(plans[4].outcome, Outcome::kWrongResult);
  EXPECT_THAT(plans[4].reason, HasSubstr("output 0"));
  EXPECT_EQ(plans[5].outcome, Outcome::kOutOfMemory);
  EXPECT_EQ(plans[6].outcome, Outcome::kLaunchError);
  for (const PlanResult& plan : plans) {
    const bool says_why = !plan.reason.empty() && plan.reason.find("disturbed while timing") != 0;
    EXPECT_EQ(says_why, plan.outcome != Outcome::kTimed) << plan.reason;
  }
}

TEST_F(WorkerFaults, OutputsThatMatchedAreNotComparedOnceMoreInTheNextProcess) {
  Block block = block_of({"none", "wrong"});
  block.comes_again = true;
  const auto first = pool_->measure_fresh(device_, block, {}, /*special_inputs=*/false);
  ASSERT_TRUE(first.ok()) << first.error().message;
  EXPECT_NE(first.value().plans[0].matched, "");
  EXPECT_EQ(first.value().plans[1].matched, "");
  for (std::size_t i = 0; i < 2; ++i) block.plans[i].matched = first.value().plans[i].matched;
  const auto again = pool_->measure_fresh(device_, block, {}, /*special_inputs=*/false);
  ASSERT_TRUE(again.ok()) << again.error().message;
  EXPECT_EQ(again.value().plans[0].outcome, Outcome::kTimed) << again.value().plans[0].reason;
  EXPECT_EQ(again.value().plans[0].verification.detail, "the bytes that matched in a process before");
  EXPECT_EQ(again.value().plans[1].outcome, Outcome::kWrongResult);
}

TEST_F(WorkerFaults, ACompileErrorIsAnErrorWithTheCompilersWords) {
  const auto kernel = compile(0, "compile-error");
  ASSERT_FALSE(kernel.ok());
  EXPECT_EQ(kernel.error().code, ErrorCode::kCompileFailed);
  EXPECT_THAT(kernel.error().message, HasSubstr("scripted compile error"));
  EXPECT_TRUE(compile(0, "none").ok());  // the worker lives on
}

TEST_F(WorkerFaults, ABlockWhoseEveryPlanCrashesTakesAProcessForEach) {
  const auto measured = pool_->measure(device_, block_of({"crash", "crash"}), {});
  ASSERT_TRUE(measured.ok());
  for (const PlanResult& plan : measured.value().plans) EXPECT_EQ(plan.outcome, Outcome::kCrashed);
  EXPECT_NE(measured.value().process_ids[0], measured.value().process_ids[1]);
}

TEST_F(WorkerFaults, ReTimingTakesAProcessThatRanNothingElse) {
  const Block block = block_of({"none"});
  const auto first = pool_->measure(device_, block, {});
  const auto same = pool_->measure(device_, block, {});
  const auto fresh = pool_->measure_fresh(device_, block, {});
  ASSERT_TRUE(first.ok() && same.ok() && fresh.ok());
  EXPECT_EQ(first.value().process_ids, same.value().process_ids);
  EXPECT_NE(first.value().process_ids, fresh.value().process_ids);
  EXPECT_EQ(first.value().plans[0].verification.detail, "");
  EXPECT_EQ(fresh.value().plans[0].verification.detail, "also tried with large, special and denormal inputs");
}

TEST_F(WorkerFaults, SurvivesKillFromOutsideInTheMiddleOfABlock) {
  Block block = block_of({"none", "hang", "none"});
  block.protocol.launch_timeout = {60e9};  // nobody but the killer below ends the hanging plan
  std::vector<PlanResult> plans;
  // The first plan is over before the kill: on a busy machine that takes a longer wait.
  for (std::chrono::milliseconds wait{500}; plans.empty() || plans[0].outcome != Outcome::kTimed; wait *= 4) {
    ASSERT_LT(wait, std::chrono::seconds(60)) << plans[0].reason;
    std::atomic<bool> over = false;
    const std::jthread killer([&] {
      while (!over) {
        std::this_thread::sleep_for(wait);
        for (const int pid : children()) {
          std::ifstream name("/proc/" + std::to_string(pid) + "/cmdline");
          std::string text((std::istreambuf_iterator<char>(name)), {});
          if (text.find("measure") != std::string::npos) {
            ::kill(pid, SIGKILL);
            return;
          }
        }
      }
    });
    const auto measured = pool_->measure(device_, block, {});
    over = true;
    ASSERT_TRUE(measured.ok()) << measured.error().message;
    plans = measured.value().plans;
  }
  EXPECT_EQ(plans[1].outcome, Outcome::kCrashed);
  EXPECT_THAT(plans[1].reason, HasSubstr("signal 9 (SIGKILL)"));
  EXPECT_FALSE(is_final(plans[1]));  // whoever killed it, it was not the plan
  EXPECT_EQ(plans[2].outcome, Outcome::kTimed) << plans[2].reason;
}

TEST_F(WorkerFaults, CancelEndsARunningBlockAtOnce) {
  Block block = block_of({"wrong", "hang", "none"});
  block.protocol.launch_timeout = {60e9};
  std::vector<PlanResult> plans;
  // The first plan is over before the cancel: on a busy machine that takes a longer wait.
  for (std::chrono::milliseconds wait{400}; plans.empty() || plans[0].outcome == Outcome::kCancelled; wait *= 4) {
    ASSERT_LT(wait, std::chrono::seconds(60));
    std::stop_source stop;
    std::atomic<double> asked = 0;
    const std::jthread canceller([&] {
      std::this_thread::sleep_for(wait);
      asked = platform::monotonic_now().count;
      stop.request_stop();
    });
    const auto measured = pool_->measure(device_, block, stop.get_token());
    const double took = platform::monotonic_now().count - asked;
    ASSERT_TRUE(measured.ok()) << measured.error().message;
    EXPECT_LT(took, 20e9);  // far less than the launch may take
    plans = measured.value().plans;
  }
  EXPECT_EQ(plans[0].outcome, Outcome::kWrongResult);  // what had ended stays
  EXPECT_EQ(plans[1].outcome, Outcome::kCancelled);
  EXPECT_EQ(plans[2].outcome, Outcome::kCancelled);
  EXPECT_TRUE(pool_->measure(device_, block_of({"none"}), {}).ok());  // the pool goes on
}

TEST_F(WorkerFaults, OneMeasurementAtATimeOnADeviceOfTheMachine) {
  const Block block = block_of({"none"});
  std::filesystem::path lock_file;
  ASSERT_TRUE(pool_->measure(device_, block, {}).ok());
  for (const auto& entry : std::filesystem::directory_iterator(folder_.path() / "locks")) {
    if (entry.path().filename().string().starts_with("device-")) lock_file = entry.path();
  }
  auto held = std::make_optional(platform::FileLock::try_acquire(lock_file, "x"));
  ASSERT_TRUE(held->ok());
  EXPECT_TRUE(waits_until([&] { EXPECT_TRUE(pool_->measure(device_, block, {}).ok()); }, [&] { held.reset(); }));
  ASSERT_EQ(waited_.size(), 1U);
  EXPECT_THAT(waited_[0], HasSubstr(device_.id + " is in use by "));
}

TEST_F(WorkerFaults, CompilesInParallelOnThePool) {
  std::set<std::string> keys;
  std::mutex mutex;
  {
    std::vector<std::jthread> threads;
    for (std::int64_t a = 0; a < 6; ++a) {
      threads.emplace_back([&, a] {
        const auto kernel = compile(a, "none");
        ASSERT_TRUE(kernel.ok()) << kernel.error().message;
        const std::lock_guard lock(mutex);
        keys.insert(kernel.value().kernel_id());
      });
    }
  }
  EXPECT_EQ(keys.size(), 6U);
  EXPECT_LE(children().size(), 2U);  // the pool's size
}

TEST_F(WorkerFaults, UnknownDevicesAndBackendsAreErrorsOfTheWholeBlock) {
  Block block = block_of({"none"});
  block.device = "null:9";
  const auto measured = pool_->measure(device_, block, {});
  ASSERT_FALSE(measured.ok());
  EXPECT_EQ(measured.error().code, ErrorCode::kNotFound);
  EXPECT_THAT(measured.error().message, HasSubstr("null:9"));
  EXPECT_FALSE(pool_->probe("nonesuch").ok());
}

TEST_F(WorkerFaults, ListsTheBackendsItWasBuiltWith) {
  const auto ids = pool_->backend_ids();
  ASSERT_TRUE(ids.ok());
  EXPECT_THAT(ids.value(), testing::Contains("null"));
}

}  // namespace
}  // namespace fuselab::engine
