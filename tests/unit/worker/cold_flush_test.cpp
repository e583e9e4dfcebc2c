// SPDX-License-Identifier: Apache-2.0
// Cold samples of a processor whose caches are looked into: of one that only says it emptied them nothing is kept.
#include "app/worker/block/cold_flush.h"

#include <gmock/gmock.h>

#include "app/worker/block/block_runner.h"
#include "core/graph/graph_text.h"
#include "tests/unit/worker/test_runtime.h"

namespace fuselab::worker {
namespace {

using testing::StartsWith;

constexpr const char* kNoEmptying = "how to empty lines of this CPU's caches by address is not known";

// Says that its caches are empty.
class ClaimingRuntime final : public TestRuntime, public CacheControl {
 public:
  explicit ClaimingRuntime(const char* type) {
    info_.type = type;
    kernels["right"].body = [](auto buffers) -> Status {
      for (int i = 0; i < 4; ++i) floats(buffers[1])[i] = 2 * floats(buffers[0])[i];
      return {};
    };
  }
  Status flush_caches() override {
    ++flushes;
    return {};
  }
  int flushes = 0;
};

PlanResult measured_cold(ClaimingRuntime& runtime, CacheMode mode = CacheMode::kCold) {
  const TensorType type{DType::kF32, {4}};
  Plan plan;
  plan.label = "right";
  plan.graph = parse_graph("graph(i0: f32[4]) { v0 = Add(i0, i0); return v0 }").value();
  plan.values = {type, type};
  CompiledKernel kernel;
  kernel.abi.entry = "right";
  for (const BufferRole role : {BufferRole::kIn, BufferRole::kOut}) kernel.abi.arguments.push_back({"x", role, type, 64});
  plan.steps = {{kernel, {0, 1}}};
  Protocol protocol;
  protocol.mode = mode;
  ReferenceCache references({});
  platform::SharedPage page = platform::SharedPage::create().value();
  const Block block{"test:0", {plan}, protocol};
  return BlockRunner(runtime, references, page, [](const wire::Reply&) {}).run(block).plans[0];
}

TEST(ColdFlush, ABlockWhoseCachesWereNotEmptiedIsRefused) {
  if (!can_empty_caches()) GTEST_SKIP() << kNoEmptying;
  ClaimingRuntime runtime("cpu");
  const PlanResult result = measured_cold(runtime);
  EXPECT_GE(runtime.flushes, 15);
  EXPECT_EQ(result.outcome, Outcome::kSkipped);
  EXPECT_THAT(result.reason, StartsWith("not cold: emptying the caches left "));
  EXPECT_TRUE(result.samples.empty());
}

// Kernels that leave the caches as they are, on sets of buffers that were thought to be larger than those.
TEST(ColdFlush, ARotationThatLeavesTheCachesWarmIsRefused) {
  if (!can_empty_caches()) GTEST_SKIP() << kNoEmptying;
  ClaimingRuntime processor("cpu"), other("gpu");
  processor.info_.target.limits["l2_bytes"] = other.info_.target.limits["l2_bytes"] = 40;
  const PlanResult result = measured_cold(processor, CacheMode::kRotating);
  EXPECT_EQ(result.outcome, Outcome::kSkipped);
  EXPECT_THAT(result.reason, StartsWith("not cold: a turn of the buffers left "));
  EXPECT_TRUE(result.samples.empty());
  EXPECT_EQ(measured_cold(other, CacheMode::kRotating).outcome, Outcome::kTimed) << "its ceiling judges it";
}

TEST(ColdFlush, OfADeviceThatIsNotThisProcessorItIsSaidThatNobodyLooked) {
  ClaimingRuntime runtime("gpu");
  const PlanResult result = measured_cold(runtime);
  EXPECT_EQ(result.outcome, Outcome::kTimed) << result.reason;
  EXPECT_EQ(result.samples.size(), 15U);
  EXPECT_EQ(result.verification.detail, "cold, unverified: what test:0 has in its caches is not seen from the host");
}

TEST(ColdFlush, LinesThatWereEmptiedAreFoundInMemoryAndOthersAreNot) {
  if (!can_empty_caches()) GTEST_SKIP() << kNoEmptying;
  ColdMarker emptied, untouched;
  for (int i = 0; i < 31; ++i) {
    emptied.mark();
    emptied.empty();
    emptied.look();
    untouched.mark();
    untouched.look();
  }
  EXPECT_EQ(emptied.reads().size(), 31U);
  const ColdState cold = judge_cold(emptied.reads()), warm = judge_cold(untouched.reads());
  EXPECT_EQ(cold.kind, ColdState::Kind::kCold) << cold.text;
  EXPECT_EQ(warm.kind, ColdState::Kind::kWarm) << warm.text;
}

}  // namespace
}  // namespace fuselab::worker
