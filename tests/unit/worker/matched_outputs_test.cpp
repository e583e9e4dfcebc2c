// SPDX-License-Identifier: Apache-2.0
// Outputs that matched the reference in a process before: their bytes alone are looked at, and never less than that.
#include <gtest/gtest.h>

#include <cmath>

#include "app/worker/block/block_runner.h"
#include "app/worker/reference/checksum.h"
#include "core/graph/graph_text.h"
#include "tests/unit/worker/test_runtime.h"

namespace fuselab::worker {
namespace {

class MatchedOutputs : public testing::Test {
 protected:
  MatchedOutputs() {
    runtime_.kernels["doubles"].body = [this](auto buffers) -> Status {
      for (int i = 0; i < 64; ++i) {
        const float twice = factor_ * floats(buffers[0])[i];
        floats(buffers[1])[i] = is_nudged_ ? std::nextafter(twice, 0.0F) : twice;
      }
      return {};
    };
  }
  // In a process of its own, as far as the reference is concerned.
  PlanResult run(const std::string& matched, bool special_inputs = false) {
    const TensorType type{DType::kF32, {64}};
    Plan plan;
    plan.label = "doubles";
    plan.graph = parse_graph("graph(i0: f32[64]) { v0 = Add(i0, i0); return v0 }").value();
    plan.values = {type, type};
    CompiledKernel kernel;
    kernel.abi.entry = "doubles";
    for (const BufferRole role : {BufferRole::kIn, BufferRole::kOut}) kernel.abi.arguments.push_back({"x", role, type, 64});
    plan.steps = {{kernel, {0, 1}}};
    plan.matched = matched;
    Block block{"test:0", {plan}, {}, comes_again_};
    ReferenceCache references({});
    BlockRunner runner(runtime_, references, page_, [](const wire::Reply&) {});
    const PlanResult result = runner.run(block, special_inputs).plans.at(0);
    computed_reference_ = references.holds(plan.graph, {});
    return result;
  }

  float factor_ = 2;
  bool is_nudged_ = false;  // each result by its last digit
  bool comes_again_ = true;
  bool computed_reference_ = false;
  TestRuntime runtime_;
  platform::SharedPage page_ = platform::SharedPage::create().value();
};

TEST_F(MatchedOutputs, AreNamedWhereTheyMatchedAndAPlanComesAgain) {
  const PlanResult first = run("");
  ASSERT_EQ(first.outcome, Outcome::kTimed) << first.reason;
  EXPECT_EQ(first.matched.size(), 16U);
  EXPECT_EQ(first.verification.checked, 64);
  comes_again_ = false;
  EXPECT_EQ(run("").matched, "");
}

TEST_F(MatchedOutputs, AreNotComparedOnceMore) {
  const PlanResult first = run("");
  const PlanResult again = run(first.matched);
  EXPECT_EQ(again.outcome, Outcome::kTimed) << again.reason;
  EXPECT_TRUE(again.verification.passed);
  EXPECT_EQ(again.verification.detail, "the bytes that matched in a process before");
  EXPECT_EQ(again.matched, first.matched);
  EXPECT_FALSE(computed_reference_);
}

TEST_F(MatchedOutputs, OfOtherBytesAreComparedAndFound) {
  const PlanResult first = run("");
  factor_ = 3;
  const PlanResult wrong = run(first.matched);
  EXPECT_EQ(wrong.outcome, Outcome::kWrongResult);
  EXPECT_EQ(wrong.matched, "");
  EXPECT_TRUE(computed_reference_);
}

// As a kernel's whose sums come in another order each time.
TEST_F(MatchedOutputs, ThatDifferWithinTheToleranceAreRightToo) {
  const PlanResult first = run("");
  is_nudged_ = true;
  const PlanResult other = run(first.matched);
  EXPECT_EQ(other.outcome, Outcome::kTimed) << other.reason;
  EXPECT_EQ(other.verification.checked, 64);
  EXPECT_NE(other.matched, first.matched);
}

TEST_F(MatchedOutputs, SpecialInputsAskForTheReferenceAllTheSame) {
  const PlanResult first = run("");
  const PlanResult special = run(first.matched, true);
  EXPECT_EQ(special.outcome, Outcome::kTimed) << special.reason;
  EXPECT_GE(special.verification.checked, 64);
  EXPECT_TRUE(computed_reference_);
}

TEST(Checksum, SeesEachByteToo) {
  std::vector<std::byte> bytes(21);
  const std::uint64_t zeros = checksum(bytes);
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    bytes[i] = std::byte{1};
    EXPECT_NE(checksum(bytes), zeros) << i;
    bytes[i] = std::byte{0};
  }
  EXPECT_EQ(checksum(bytes), zeros);
  EXPECT_NE(checksum(std::span(bytes).first(20)), zeros) << "one byte less";
}

}  // namespace
}  // namespace fuselab::worker
