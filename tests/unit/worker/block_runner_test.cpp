// SPDX-License-Identifier: Apache-2.0
#include "app/worker/block/block_runner.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <thread>
#include <variant>

#include "app/worker/block/canary.h"
#include "core/backend/device_monitor.h"
#include "core/base/version.h"
#include "core/graph/graph_text.h"
#include "tests/unit/worker/test_runtime.h"

namespace fuselab::worker {
namespace {

const char* const kDouble = "graph(i0: f32[4]) { v0 = Add(i0, i0); return v0 }";

Plan plan_of(const char* entry, std::vector<BufferRole> roles = {BufferRole::kIn, BufferRole::kOut}, const char* text = kDouble) {
  Plan plan;
  plan.label = entry;
  plan.graph = parse_graph(text).value();
  const TensorType type{DType::kF32, {4}};
  plan.values = {type, type};
  CompiledKernel kernel;
  kernel.abi.entry = entry;
  for (const BufferRole role : roles) kernel.abi.arguments.push_back({"x", role, type, 64});
  plan.steps = {{kernel, {0, 1}}};
  return plan;
}

class BlockRunnerTest : public testing::Test {
 protected:
  BlockRunnerTest() {
    runtime_.kernels["right"].body = [](auto buffers) -> Status {
      for (int i = 0; i < 4; ++i) floats(buffers[1])[i] = 2 * floats(buffers[0])[i];
      return {};
    };
  }
  BlockResult run(std::vector<Plan> plans, Protocol protocol = {}, bool special_inputs = false) {
    const Block block{"test:0", std::move(plans), protocol};
    return BlockRunner(runtime_, references_, page_, [this](const wire::Reply& event) { events_.push_back(event); })
        .run(block, special_inputs);
  }
  // A plan whose kernel doubles each number as `twice` would have it.
  Plan doubling(const char* name, float (*twice)(float), int rows = 16) {
    runtime_.kernels[name].body = [twice](auto buffers) -> Status {
      for (std::size_t i = 0; i < buffers[1].size() / sizeof(float); ++i) floats(buffers[1])[i] = twice(floats(buffers[0])[i]);
      return {};
    };
    const std::string text = "graph(i0: f32[" + std::to_string(rows) + ",64]) { v0 = Add(i0, i0); return v0 }";
    Plan plan = plan_of(name, {BufferRole::kIn, BufferRole::kOut}, text.c_str());
    const TensorType type{DType::kF32, {rows, 64}};
    plan.values = {type, type};
    for (KernelArgument& argument : plan.steps[0].kernel.abi.arguments) argument.type = type;
    return plan;
  }

  TestRuntime runtime_;
  ReferenceCache references_{{}};
  platform::SharedPage page_ = platform::SharedPage::create().value();
  std::vector<wire::Reply> events_;
};

// A product above 2 GFLOP with an affine epilogue: what the sample of its outputs does not look at, Freivalds' check does.
TEST_F(BlockRunnerTest, FindsOneWrongElementThatTheSampleMisses) {
  const char* const text =
      "graph(i0: f32[1024,1024], p0: param f32[1024,1024], p1: param f32[1024]) {"
      " v0 = MatMul(i0, p0); v1 = Add(v0, p1); return v1 }";
  const Graph graph = parse_graph(text).value();
  const InputSpec inputs = Protocol{}.inputs;
  const auto reference = references_.get(graph, inputs).value();
  const std::vector<std::int64_t>& sampled = reference->expected[0].positions;
  ASSERT_FALSE(sampled.empty());
  std::size_t missed = 512 * 1024 + 4;
  while (std::binary_search(sampled.begin(), sampled.end(), static_cast<std::int64_t>(missed))) ++missed;
  std::vector<RealTensor> exact = make_inputs(graph, inputs);
  for (RealTensor& input : exact) round_to_dtype(input);
  const std::vector<double> right = evaluate_reference(graph, exact).value()[0].data;
  const auto kernel = [&](const char* name, double off) {
    runtime_.kernels[name].body = [&right, missed, off](auto buffers) -> Status {
      std::copy(right.begin(), right.end(), floats(buffers[3]));
      floats(buffers[3])[missed] += static_cast<float>(off);
      return {};
    };
    Plan plan = plan_of(name, {BufferRole::kIn, BufferRole::kIn, BufferRole::kIn, BufferRole::kOut}, text);
    const TensorType square{DType::kF32, {1024, 1024}}, row{DType::kF32, {1024}};
    plan.values = {square, square, row, square};
    for (std::size_t i = 0; i < 4; ++i) plan.steps[0].kernel.abi.arguments[i].type = plan.values[i];
    plan.steps[0].arguments = {0, 1, 2, 3};
    return plan;
  };
  const BlockResult result = run({kernel("whole", 0), kernel("one-wrong", 0.5)});
  EXPECT_EQ(result.plans[0].outcome, Outcome::kTimed) << result.plans[0].reason;
  EXPECT_EQ(result.plans[1].outcome, Outcome::kWrongResult);
  EXPECT_NE(result.plans[1].reason.find("row 512 fails Freivalds' check"), std::string::npos) << result.plans[1].reason;
}

TEST_F(BlockRunnerTest, VerifiesThenTimes) {
  const BlockResult result = run({plan_of("right")});
  ASSERT_EQ(result.plans.size(), 1U);
  EXPECT_EQ(result.plans[0].outcome, Outcome::kTimed) << result.plans[0].reason;
  EXPECT_TRUE(result.plans[0].verification.passed);
  EXPECT_EQ(result.plans[0].verification.checked, 4);
  EXPECT_EQ(result.plans[0].samples.size(), 15U);
  EXPECT_EQ(result.plans[0].source, TimingSource::kProvider);
  EXPECT_GT(result.plans[0].first_launch.count, 0);
  EXPECT_TRUE(runtime_.memory.empty());  // every buffer was given back
}

TEST_F(BlockRunnerTest, FindsWithSpecialInputsWhatOrdinaryOnesDoNotShow) {
  const std::vector<Plan> plans = {
      doubling("right everywhere", [](float x) { return x + x; }),
      doubling("saturates", [](float x) { return std::clamp(x + x, -1000.0F, 1000.0F); }),
      doubling("loses NaN", [](float x) { return std::isnan(x) ? 0.0F : x + x; }),
      doubling("turns -Inf around", [](float x) { return std::isinf(x) ? std::fabs(x) : x + x; }),
  };
  const BlockResult ordinary = run(plans);
  for (const PlanResult& plan : ordinary.plans) EXPECT_EQ(plan.outcome, Outcome::kTimed) << plan.reason;
  EXPECT_EQ(ordinary.plans[0].verification.detail, "");

  const BlockResult special = run(plans, {}, true);
  EXPECT_EQ(special.plans[0].outcome, Outcome::kTimed) << special.plans[0].reason;
  EXPECT_EQ(special.plans[0].verification.detail, "also tried with large, special and denormal inputs");
  EXPECT_GT(special.plans[0].verification.checked, ordinary.plans[0].verification.checked);
  for (const std::size_t wrong : {1U, 2U, 3U}) {
    EXPECT_EQ(special.plans[wrong].outcome, Outcome::kWrongResult) << wrong;
    EXPECT_TRUE(special.plans[wrong].samples.empty());
    EXPECT_FALSE(special.plans[wrong].verification.passed);
  }
  EXPECT_EQ(special.plans[1].reason.find("large inputs: output 0 at ["), 0U) << special.plans[1].reason;
  EXPECT_EQ(special.plans[2].reason.find("inputs with ±Inf, NaN and −0: "), 0U) << special.plans[2].reason;
  EXPECT_EQ(special.plans[3].reason.find("inputs with ±Inf, NaN and −0: "), 0U) << special.plans[3].reason;
}

// Of a kernel that states it; everything else it still answers for, and nobody else is let off.
TEST_F(BlockRunnerTest, LetsAKernelLoseNaNThatSaysSo) {
  std::vector<Plan> plans = {
      doubling("loses NaN", [](float x) { return std::isnan(x) ? 0.0F : x + x; }),
      doubling("loses Inf, too", [](float x) { return std::isfinite(x) ? x + x : 0.0F; }),
      doubling("makes NaN of Inf", [](float x) { return std::isfinite(x) ? x + x : std::nanf(""); }),
      doubling("is right", [](float x) { return x + x; }),
      doubling("loses it silently", [](float x) { return std::isnan(x) ? 0.0F : x + x; }),
      doubling("states something else", [](float x) { return std::isnan(x) ? 0.0F : x + x; }),
  };
  for (std::size_t i = 0; i < 4; ++i) plans[i].steps[0].kernel.config = {{"nan", "lost"}, {"threads", std::int64_t{2}}};
  plans[5].steps[0].kernel.config = {{"nan", "kept"}, {"path", "lost"}};
  const BlockResult result = run(plans, {}, true);
  for (const std::size_t right : {0U, 3U}) {
    EXPECT_EQ(result.plans[right].outcome, Outcome::kTimed) << result.plans[right].reason;
    const std::string& detail = result.plans[right].verification.detail;
    EXPECT_NE(detail.find(" results that should be NaN were not judged: nan=lost"), std::string::npos) << detail;
    EXPECT_EQ(detail.find("; 0 results"), std::string::npos) << detail;
  }
  for (const std::size_t wrong : {1U, 2U, 4U, 5U}) EXPECT_EQ(result.plans[wrong].outcome, Outcome::kWrongResult) << wrong;
}

// Of a kernel that states it; ordinary numbers and tiny ones it still answers for.
TEST_F(BlockRunnerTest, LetsAKernelLosePrecisionThatSaysSo) {
  std::vector<Plan> plans = {
      doubling("makes NaN of Inf", [](float x) { return std::isfinite(x) ? x + x : std::nanf(""); }),
      doubling("is wrong where it is ordinary", [](float x) { return x * 2.001F; }),
      doubling("says nothing", [](float x) { return std::isfinite(x) ? x + x : std::nanf(""); }),
  };
  for (std::size_t i = 0; i < 2; ++i) plans[i].steps[0].kernel.config = {{"precision", "lost"}};
  const BlockResult result = run(plans, {}, true);
  EXPECT_EQ(result.plans[0].outcome, Outcome::kTimed) << result.plans[0].reason;
  const std::string& detail = result.plans[0].verification.detail;
  EXPECT_NE(detail.find("with large and special ones it was not judged: precision=lost"), std::string::npos) << detail;
  EXPECT_EQ(result.plans[1].outcome, Outcome::kWrongResult);
  EXPECT_EQ(result.plans[2].outcome, Outcome::kWrongResult);
}

// More than are made anew for each pattern.
TEST_F(BlockRunnerTest, FindsThemAmongManyInputsToo) {
  constexpr int kRows = 80'000;
  const std::vector<Plan> plans = {
      doubling(
          "right everywhere", [](float x) { return x + x; }, kRows),
      doubling(
          "saturates", [](float x) { return std::clamp(x + x, -1000.0F, 1000.0F); }, kRows),
      doubling(
          "loses NaN", [](float x) { return std::isnan(x) ? 0.0F : x + x; }, kRows),
      doubling(
          "turns -Inf around", [](float x) { return std::isinf(x) ? std::fabs(x) : x + x; }, kRows),
  };
  const BlockResult special = run(plans, {}, true);
  EXPECT_EQ(special.plans[0].outcome, Outcome::kTimed) << special.plans[0].reason;
  const std::string& detail = special.plans[0].verification.detail;
  EXPECT_EQ(detail.find("also tried with large, special and denormal inputs in "), 0U) << detail;
  EXPECT_NE(detail.find("places, which a sample of the outputs depends on"), std::string::npos) << detail;
  for (const std::size_t wrong : {1U, 2U, 3U}) EXPECT_EQ(special.plans[wrong].outcome, Outcome::kWrongResult) << wrong;
  EXPECT_EQ(special.plans[1].reason.find("large inputs: output 0 at ["), 0U) << special.plans[1].reason;
}

TEST_F(BlockRunnerTest, TimesWithTheUsualInputsAfterTheSpecialOnes) {
  std::vector<float> seen;
  const Plan plan = doubling("watched", [](float x) { return x + x; });
  const auto body = runtime_.kernels["watched"].body;
  runtime_.kernels["watched"].body = [&](auto buffers) -> Status {
    seen.assign(floats(buffers[0]), floats(buffers[0]) + 16 * 64);
    return body(buffers);
  };
  run({plan});
  const std::vector<float> usual = seen;
  run({plan}, {}, true);
  EXPECT_EQ(seen, usual);
}

TEST_F(BlockRunnerTest, SaysWithATimingWhatDisturbedIt) {
  runtime_.kernels["crowded"].body = [this](auto buffers) -> Status {
    std::vector<std::jthread> crowd;  // more than there are CPUs: the scheduler must take turns
    for (unsigned i = 0; i < 4 * std::max(1U, std::thread::hardware_concurrency()); ++i) {
      crowd.emplace_back([end = std::chrono::steady_clock::now() + std::chrono::milliseconds(25)] {
        while (std::chrono::steady_clock::now() < end) {
        }
      });
    }
    return runtime_.kernels["right"].body(buffers);
  };
  const BlockResult result = run({plan_of("crowded")});
  EXPECT_EQ(result.plans[0].outcome, Outcome::kTimed);
  EXPECT_GT(result.conditions.involuntary_switches, 5);
  EXPECT_GT(result.conditions.wall_seconds, 0.025);
  EXPECT_EQ(result.plans[0].reason.find("disturbed while timing: "), 0U) << result.plans[0].reason;
}

TEST_F(BlockRunnerTest, TimesACanaryBesideWhatRunsOnThisProcessor) {
  EXPECT_TRUE(run({plan_of("right")}).conditions.canary.compute.empty()) << "a device elsewhere";
  runtime_.info_.type = "cpu";
  const BlockResult result = run({plan_of("right")});
  const CanaryTimes& canary = result.conditions.canary;
  EXPECT_EQ(canary.compute.size(), 16U) << "before 15 rounds and after each";
  for (const double ns : canary.compute) EXPECT_GT(ns, 0);
  EXPECT_TRUE(canary.memory.empty()) << "16 bytes do not live on memory";
}

TEST_F(BlockRunnerTest, CountsTheThreadsOfItsPlansUpToTheProcessors) {
  Plan threaded = plan_of("right");
  threaded.steps[0].kernel.config.set("threads", std::int64_t{1} << 40);
  EXPECT_EQ(run({threaded}).conditions.threads, 1) << "a device elsewhere";
  runtime_.info_.type = "cpu";
  EXPECT_EQ(run({plan_of("right")}).conditions.threads, 1);
  EXPECT_EQ(run({plan_of("right"), threaded}).conditions.threads,
            std::max(1, static_cast<int>(std::thread::hardware_concurrency())));
}

TEST_F(BlockRunnerTest, ReadsMemoryBesideWhatNoCacheHolds) {
  if (!Canary::can_read_memory()) GTEST_SKIP() << "memory cannot be emptied from this processor's caches by address";
  runtime_.info_.type = "cpu";
  runtime_.info_.target.limits["l2_bytes"] = 16;  // what it moves is twice that
  const BlockResult result = run({plan_of("right")});
  EXPECT_EQ(result.conditions.canary.memory.size(), 16U);
  for (const double ns : result.conditions.canary.memory) EXPECT_GT(ns, 0);
}

// A device with sensors, which say what a test wants.
class SensedRuntime : public TestRuntime, public DeviceMonitor {
 public:
  Result<DeviceState> state() override { return said; }
  std::string driver_version() override { return "1.2"; }
  Result<DeviceState> said = DeviceState{0, 1980, 3201, 40, 300};
};

TEST_F(BlockRunnerTest, BelievesNothingThatAThrottledDeviceTimed) {
  SensedRuntime sensed;
  sensed.kernels = runtime_.kernels;
  const auto run_sensed = [&] {
    return BlockRunner(sensed, references_, page_, [](const wire::Reply&) {}).run({"test:0", {plan_of("right")}, {}});
  };
  const BlockResult well = run_sensed();
  EXPECT_EQ(well.conditions.device.driver, "1.2");
  EXPECT_GE(well.conditions.device.readings, 2) << "before and after";
  EXPECT_EQ(well.conditions.device.core_mhz_low, 1980);
  sensed.said = DeviceState{kHardwareThermal, 1200, 3201, 91, 300};
  EXPECT_NE(run_sensed().plans[0].reason.find("the device was throttled: thermal slowdown by the hardware"), std::string::npos);
  sensed.said = Error{ErrorCode::kUnavailable, "NVML: libnvidia-ml.so.1 not found"};
  const BlockResult blind = run_sensed();
  EXPECT_EQ(blind.plans[0].outcome, Outcome::kTimed) << "its figures stand, and say what is not known";
  EXPECT_EQ(blind.conditions.device.readings, 0);
  EXPECT_EQ(blind.conditions.device.unknown, "NVML: libnvidia-ml.so.1 not found");
}

TEST_F(BlockRunnerTest, TellsAtOnceOfAPlanThatFailedAndOfTheOthersTogether) {
  run({plan_of("right"), plan_of("missing"), plan_of("right")});
  ASSERT_EQ(events_.size(), 2U);
  const auto& failed = std::get<wire::PlansFinished>(events_[0]);
  EXPECT_EQ(failed.indices, std::vector<int>{1});
  EXPECT_EQ(failed.results.at(0).outcome, Outcome::kLaunchError);
  const auto& timed = std::get<wire::PlansFinished>(events_[1]);
  EXPECT_EQ(timed.indices, (std::vector<int>{0, 2}));
  for (const PlanResult& result : timed.results) EXPECT_EQ(result.outcome, Outcome::kTimed);
}

TEST_F(BlockRunnerTest, NamesTheRunningPlanOnTheSharedPage) {
  std::vector<platform::WorkerState> seen;
  runtime_.kernels["watched"].body = [&](auto buffers) -> Status {
    seen.push_back(page_.state());
    return runtime_.kernels["right"].body(buffers);
  };
  run({plan_of("right"), plan_of("watched")});
  ASSERT_FALSE(seen.empty());
  for (const auto& state : seen) {
    EXPECT_EQ(state.plan, 1);
    EXPECT_EQ(state.phase, platform::WorkerPhase::kLaunch);
  }
  EXPECT_EQ(page_.state().plan, -1);
}

TEST_F(BlockRunnerTest, FindsElementsThatWereNeverWritten) {
  runtime_.kernels["forgets the last"].body = [](auto buffers) -> Status {
    for (int i = 0; i < 3; ++i) floats(buffers[1])[i] = 2 * floats(buffers[0])[i];
    return {};
  };
  // After a correct plan left the right answer in the shared output buffer.
  const BlockResult result = run({plan_of("right"), plan_of("forgets the last")});
  EXPECT_EQ(result.plans[0].outcome, Outcome::kTimed);
  EXPECT_EQ(result.plans[1].outcome, Outcome::kWrongResult);
  EXPECT_FALSE(result.plans[1].reason.empty());
  EXPECT_TRUE(result.plans[1].samples.empty());
}

TEST_F(BlockRunnerTest, FindsScratchThatIsReadBeforeItIsWritten) {
  runtime_.kernels["stale"].body = [](auto buffers) -> Status {
    for (int i = 0; i < 4; ++i) {
      floats(buffers[1])[i] = 2 * floats(buffers[0])[i] + floats(buffers[2])[i];
      floats(buffers[2])[i] = 0;
    }
    return {};
  };
  const BlockResult result = run({plan_of("stale", {BufferRole::kIn, BufferRole::kOut, BufferRole::kScratch})});
  EXPECT_EQ(result.plans[0].outcome, Outcome::kWrongResult);
}

TEST_F(BlockRunnerTest, RestoresInputsThatAKernelOverwrites) {
  int wrong_inputs = 0;
  float first = 0;
  bool known = false;
  runtime_.kernels["in place"].body = [&](auto buffers) -> Status {
    if (!known) first = floats(buffers[0])[0];
    known = true;
    if (floats(buffers[0])[0] != first) ++wrong_inputs;
    for (int i = 0; i < 4; ++i) {
      floats(buffers[1])[i] = 2 * floats(buffers[0])[i];
      floats(buffers[0])[i] = -1e30F;
    }
    return {};
  };
  const BlockResult result = run({plan_of("in place", {BufferRole::kInOut, BufferRole::kOut}), plan_of("right")});
  EXPECT_EQ(result.plans[0].outcome, Outcome::kTimed) << result.plans[0].reason;
  EXPECT_EQ(result.plans[1].outcome, Outcome::kTimed) << result.plans[1].reason;  // its inputs were not touched
  EXPECT_EQ(wrong_inputs, 0);
}

// A kernel that overwrites a tensor has it twice: untouched, and as what it is given. plan_of() names arguments by their places.
TEST_F(BlockRunnerTest, AnOutputMayBeginAsAnInput) {
  int wrong_beginnings = 0;
  runtime_.kernels["in place"].body = [&](auto buffers) -> Status {
    for (int i = 0; i < 4; ++i) {
      if (floats(buffers[1])[i] != floats(buffers[0])[i]) ++wrong_beginnings;
      floats(buffers[1])[i] *= 2;
    }
    return {};
  };
  Plan plan = plan_of("in place", {BufferRole::kIn, BufferRole::kInOut});
  for (KernelArgument& argument : plan.steps[0].kernel.abi.arguments) argument.name = "x";
  const BlockResult result = run({plan, plan_of("right")});
  EXPECT_EQ(result.plans[0].outcome, Outcome::kTimed) << result.plans[0].reason;
  EXPECT_EQ(result.plans[1].outcome, Outcome::kTimed) << result.plans[1].reason;
  EXPECT_EQ(wrong_beginnings, 0);
}

TEST_F(BlockRunnerTest, SkipsWhatDoesNotFitAndSaysWhatItNeeds) {
  runtime_.info_.free_memory_bytes = 8;
  const BlockResult result = run({plan_of("right")});
  EXPECT_EQ(result.plans[0].outcome, Outcome::kSkipped);
  EXPECT_NE(result.plans[0].reason.find("8 B"), std::string::npos) << result.plans[0].reason;
  EXPECT_EQ(runtime_.loads, 0);
}

TEST_F(BlockRunnerTest, WhatAStepThrowsIsTheOutcomeOfItsPlan) {
  runtime_.kernels["greedy"].body = [](auto) -> Status { throw std::bad_alloc(); };
  const BlockResult result = run({plan_of("greedy"), plan_of("right")});
  EXPECT_EQ(result.plans[0].outcome, Outcome::kOutOfMemory);
  EXPECT_EQ(result.plans[0].reason, "the worker ran out of memory");
  EXPECT_EQ(result.plans[1].outcome, Outcome::kTimed) << "the rest of the block is measured";
  EXPECT_GT(result.plans[1].verifying.count, 0);
  EXPECT_GT(result.plans[1].timing.count, 0);
}

TEST_F(BlockRunnerTest, ColdTimingsNeedADeviceThatCanFlush) {
  Protocol protocol;
  protocol.mode = CacheMode::kCold;
  const BlockResult result = run({plan_of("right")}, protocol);
  EXPECT_EQ(result.plans[0].outcome, Outcome::kUnsupported);
  EXPECT_NE(result.plans[0].reason.find("flush"), std::string::npos);
}

TEST_F(BlockRunnerTest, FirstLaunchesLoadTheKernelAnewEachTime) {
  Protocol protocol;
  protocol.mode = CacheMode::kFirstLaunch;
  protocol.samples = 6;
  const BlockResult result = run({plan_of("right")}, protocol);
  EXPECT_EQ(result.plans[0].samples.size(), 6U);
  EXPECT_EQ(runtime_.loads, 7);
}

TEST_F(BlockRunnerTest, RefusesPlansThatDoNotFitTheirKernels) {
  Plan plan = plan_of("right");
  plan.steps[0].arguments = {0};
  Plan symbolic = plan_of("right", {BufferRole::kIn, BufferRole::kOut}, "graph(i0: f32[n]) { v0 = Add(i0, i0); return v0 }");
  const BlockResult result = run({plan, symbolic});
  EXPECT_EQ(result.plans[0].outcome, Outcome::kLaunchError);
  EXPECT_NE(result.plans[0].reason.find("does not fit"), std::string::npos) << result.plans[0].reason;
  EXPECT_EQ(result.plans[1].outcome, Outcome::kLaunchError);
  EXPECT_NE(result.plans[1].reason.find("--shape"), std::string::npos);
}

}  // namespace
}  // namespace fuselab::worker
