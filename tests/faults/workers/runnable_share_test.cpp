// SPDX-License-Identifier: Apache-2.0
// The share of a model that can be run: what import and fuse say beforehand is what a survey finds.
#include <gmock/gmock.h>

#include "app/engine/survey.h"
#include "tests/faults/support/engine_fixture.h"

namespace fuselab {
namespace {

using ::testing::HasSubstr;

class RunnableShare : public EngineTest {
 protected:
  FusionResult fused(const std::string& graph, bool for_job = false, const std::string& device = "cpu") {
    engine::FuseSpec spec{graph, "", "O2", {}, for_job, /*what_runs=*/true};
    if (!device.empty()) spec.devices.only = {device};
    auto result = engine_->fuse(spec);
    EXPECT_TRUE(result.ok()) << (result.ok() ? "" : result.error().message);
    return result.ok() ? std::move(result).value() : FusionResult();
  }
};

// No generator of Fuselab reads i4.
constexpr const char* kFourBits =
    "graph(x: f32[4,64], q: param i4[64,32], s: param f32[64,32]) { c = Cast(q, to=\"f32\"); w = Mul(c, s); y = MatMul(x, w); "
    "return y }";

TEST_F(RunnableShare, OfWhatIsReadAndWhatIsWrittenIsNotTheSame) {
  const FusionResult result = fused(kFourBits);
  EXPECT_EQ(result.covered_share, 1.0);
  ASSERT_TRUE(result.runnable_share.has_value());
  EXPECT_NEAR(*result.runnable_share, 2.0 / 3.0, 1e-12) << "the product and the scale are cut off the cast";
  ASSERT_EQ(result.not_runnable.size(), 1U);
  EXPECT_EQ(result.not_runnable.front().op, "Cast");
  EXPECT_EQ(result.not_runnable.front().first, "c");
  EXPECT_THAT(result.not_runnable.front().reason, HasSubstr("cpu: "));
  EXPECT_THAT(result.not_runnable.front().reason, HasSubstr("i4"));
}

TEST_F(RunnableShare, ASurveyCountsByTheSameRule) {
  const std::string barrier = "graph(x: f32[8,16]) { a = Relu(x); m: f32[8,16] = Opaque:Mystery(a); y = Exp(m); return y }";
  for (const std::string& graph : {std::string(kFourBits), barrier}) {
    engine::JobSpec spec;
    spec.verb = engine::JobSpec::Verb::kBench;
    spec.subjects = {graph};
    spec.devices.only = {"cpu"};
    auto job = engine_->start(spec);
    ASSERT_TRUE(job.ok()) << job.error().message;
    ASSERT_TRUE(job.value()->wait_for(std::chrono::minutes(2)));
    const auto tables = job.value()->tables();
    ASSERT_EQ(tables.size(), 1U);
    const FusionResult result = fused(graph);
    const engine::Survey survey = engine::survey_of(result, tables.front());
    EXPECT_EQ(survey.operators, result.original_op_count);
    EXPECT_DOUBLE_EQ(survey.run_share(), result.runnable_share.value_or(-1)) << graph;
    EXPECT_EQ(survey.not_run.size(), result.not_runnable.size());
  }
}

TEST_F(RunnableShare, WithoutANamedDeviceIsThatOfThisMachine) {
  const FusionResult result = fused("graph(x: f32[8,16]) { a = Relu(x); y = Exp(a); return y }", false, "");
  EXPECT_EQ(result.runnable_share, std::optional(1.0));
  EXPECT_TRUE(result.not_runnable.empty());
}

TEST_F(RunnableShare, WithOpenExtentsIsNotKnown) {
  EXPECT_EQ(fused("graph(x: f32[n,16]) { y = Relu(x); return y }").runnable_share, std::nullopt);
}

}  // namespace
}  // namespace fuselab
