// SPDX-License-Identifier: Apache-2.0
// Rotating buffers: which set each launch got, on a device that writes it down.
#include <gmock/gmock.h>

#include <set>

#include "app/worker/block/block_runner.h"
#include "core/graph/graph_text.h"
#include "tests/unit/worker/test_runtime.h"

namespace fuselab::worker {
namespace {

using testing::HasSubstr;
using Place = TestRuntime::Place;

// A plan whose kernel "right" doubles 1024 numbers: 4 KiB of operands, 8 KiB a run.
Plan doubling(const char* entry, std::vector<BufferRole> roles = {BufferRole::kIn, BufferRole::kOut}) {
  const TensorType type{DType::kF32, {1024}};
  Plan plan;
  plan.label = entry;
  plan.graph = parse_graph("graph(i0: f32[1024]) { v0 = Add(i0, i0); return v0 }").value();
  plan.values = {type, type};
  CompiledKernel kernel;
  kernel.abi.entry = entry;
  for (const BufferRole role : roles) kernel.abi.arguments.push_back({"x", role, type, 64});
  plan.steps = {{kernel, {0, 1}}};
  return plan;
}

class RotatingTest : public testing::Test {
 protected:
  RotatingTest() {
    protocol_.mode = CacheMode::kRotating;
    protocol_.samples = 9;
    runtime_.info_.target.limits["l2_bytes"] = 10 << 10;  // twice that is five runs' operands
    runtime_.kernels["right"].body = [](auto buffers) -> Status {
      for (std::size_t i = 0; i < 1024; ++i) floats(buffers[1])[i] = 2 * floats(buffers[0])[i];
      return {};
    };
  }
  BlockResult run(std::vector<Plan> plans) {
    const Block block{"test:0", std::move(plans), protocol_};
    return BlockRunner(runtime_, references_, page_, [](const wire::Reply&) {}).run(block);
  }
  // Between two uses of a set all the others were used.
  void expect_all_in_turn(std::size_t sets) {
    const std::set<Place> different(runtime_.timed.begin(), runtime_.timed.end());
    EXPECT_EQ(different.size(), sets);
    for (std::size_t i = sets; i < runtime_.timed.size(); ++i) EXPECT_EQ(runtime_.timed[i], runtime_.timed[i - sets]) << i;
  }

  Protocol protocol_;
  TestRuntime runtime_;
  ReferenceCache references_{{}};
  platform::SharedPage page_ = platform::SharedPage::create().value();
};

TEST_F(RotatingTest, EachLaunchGetsTheNextSetAcrossSamplesAndPlans) {
  runtime_.time_of_launch = 80'000;  // three of them are a sample
  const BlockResult result = run({doubling("right"), doubling("right")});
  for (const PlanResult& plan : result.plans) {
    ASSERT_EQ(plan.outcome, Outcome::kTimed) << plan.reason;
    EXPECT_EQ(plan.verification.detail, "each of 5 sets of buffers");
    EXPECT_EQ(plan.inner_repetitions, 3);
    for (const double sample : plan.samples) EXPECT_DOUBLE_EQ(sample, 80'000);
  }
  expect_all_in_turn(5);
  EXPECT_TRUE(runtime_.memory.empty());
  EXPECT_EQ(runtime_.loads, 2) << "all sets run the same code";
}

TEST_F(RotatingTest, ShortLaunchesAreTimedInWholeTurns) {
  runtime_.time_of_launch = 15'000;
  const BlockResult result = run({doubling("right")});
  ASSERT_EQ(result.plans[0].outcome, Outcome::kTimed) << result.plans[0].reason;
  EXPECT_EQ(result.plans[0].inner_repetitions, 15);
  expect_all_in_turn(5);
}

TEST_F(RotatingTest, LongLaunchesAreTimedOneByOne) {
  const BlockResult result = run({doubling("right")});
  EXPECT_EQ(result.plans[0].inner_repetitions, 1);
  expect_all_in_turn(5);
}

// Neighbours lie in pages of their own: what is fetched ahead at the end of one is not the next one's.
TEST_F(RotatingTest, SetsDoNotSharePages) {
  run({doubling("right")});
  std::set<std::int64_t> offsets;
  for (const auto& [handle, offset] : runtime_.timed) offsets.insert(offset);
  for (const std::int64_t offset : offsets) EXPECT_EQ(offset % 4096, 0);
  EXPECT_GT(offsets.size(), 3U);
}

TEST_F(RotatingTest, EverySetIsVerifiedBeforeAnythingIsTimed) {
  int runs = 0;
  runtime_.kernels["once-wrong"].body = [&runs](auto buffers) -> Status {
    for (std::size_t i = 0; i < 1024; ++i) floats(buffers[1])[i] = 2 * floats(buffers[0])[i];
    if (++runs == 5) floats(buffers[1])[7] += 1;  // the first run is verified by itself: this is the fourth set's
    return {};
  };
  const BlockResult result = run({doubling("once-wrong")});
  EXPECT_EQ(result.plans[0].outcome, Outcome::kWrongResult);
  EXPECT_THAT(result.plans[0].reason, HasSubstr("set 4 of 5 sets of buffers: output 0 at [7]"));
  EXPECT_TRUE(runtime_.timed.empty());
}

TEST_F(RotatingTest, ASetThatAnotherSetsRunOverwritesIsFound) {
  float* first = nullptr;
  runtime_.kernels["astray"].body = [&first](auto buffers) -> Status {
    if (first == nullptr) first = floats(buffers[1]);
    for (std::size_t i = 0; i < 1024; ++i) floats(buffers[1])[i] = 2 * floats(buffers[0])[i];
    if (floats(buffers[1]) != first) first[0] = -1;
    return {};
  };
  const BlockResult result = run({doubling("astray")});
  EXPECT_EQ(result.plans[0].outcome, Outcome::kWrongResult);
  EXPECT_THAT(result.plans[0].reason, HasSubstr("set 1 of 5"));
}

TEST_F(RotatingTest, IsRefusedWithItsReason) {
  const Plan overwriting = doubling("right", {BufferRole::kInOut, BufferRole::kOut});
  const PlanResult restored = run({overwriting}).plans[0];
  EXPECT_EQ(restored.outcome, Outcome::kUnsupported);
  EXPECT_EQ(restored.reason, "a kernel overwrites an input, which is restored before each run: no rotating timings");
  runtime_.info_.target.limits["l2_bytes"] = 64 << 20;
  const PlanResult small = run({doubling("right")}).plans[0];
  EXPECT_EQ(small.outcome, Outcome::kUnsupported);
  EXPECT_THAT(small.reason, HasSubstr("a run has 4.00 KiB of operands: even 1024 sets"));
  runtime_.info_.target.limits.clear();
  const PlanResult unknown = run({doubling("right")}).plans[0];
  EXPECT_EQ(unknown.outcome, Outcome::kUnsupported);
  EXPECT_THAT(unknown.reason, HasSubstr("last cache holds is not known"));
  EXPECT_TRUE(runtime_.timed.empty());
}

// Several caches of the last level: threads spread over them share each set out.
TEST_F(RotatingTest, CountsEveryLastCache) {
  runtime_.info_.target.limits["last_caches"] = 2;
  EXPECT_EQ(run({doubling("right")}).plans[0].verification.detail, "each of 10 sets of buffers");
}

TEST_F(RotatingTest, NeedsMemoryForAllSets) {
  runtime_.info_.free_memory_bytes = 39 << 10;
  const PlanResult result = run({doubling("right")}).plans[0];
  EXPECT_EQ(result.outcome, Outcome::kSkipped);
  EXPECT_THAT(result.reason, HasSubstr("needs 40.0 KiB"));
}

}  // namespace
}  // namespace fuselab::worker
