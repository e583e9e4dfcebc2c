// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "tests/replay/recorded_data.h"
#include "tuner/formats/recorded_formats.h"

namespace fuselab::tuner {
namespace {

struct Problem {
  std::string file;
  std::int64_t cartesian;
  std::size_t valid;
};

class RecordedProblem : public testing::TestWithParam<Problem> {};

// The sizes are those that the published search-space studies report for these problems.
INSTANTIATE_TEST_SUITE_P(Published, RecordedProblem,
                         testing::Values(Problem{"convolution.T1.json", 10240, 4362}, Problem{"dedispersion.T1.json", 22272, 11130},
                                         Problem{"pnpoly.T1.json", 4092, 4092}),
                         [](const auto& given) { return given.param.file.substr(0, given.param.file.find('.')); });

TEST_P(RecordedProblem, HasAsManyValidConfigurationsAsPublished) {
  const auto problem = parse_t1(test::recorded_text(GetParam().file));
  ASSERT_TRUE(problem.ok()) << problem.error().message;
  EXPECT_EQ(problem.value().space.cartesian_size(), GetParam().cartesian);
  EXPECT_EQ(problem.value().space.enumerate(1 << 20).size(), GetParam().valid);
}

TEST_P(RecordedProblem, BeginsWithAValidConfiguration) {
  const auto problem = parse_t1(test::recorded_text(GetParam().file));
  ASSERT_TRUE(problem.ok()) << problem.error().message;
  const auto begun = problem.value().space.check(problem.value().start);
  EXPECT_TRUE(begun.ok()) << begun.error().message;
}

TEST(RecordedResults, AreValidInTheirProblemsSpace) {
  const auto problem = parse_t1(test::recorded_text("convolution.T1.json"));
  const auto trials = parse_t4(test::recorded_text("convolution_A100.T4.json"));
  ASSERT_TRUE(trials.ok()) << trials.error().message;
  ASSERT_EQ(trials.value().size(), 8U);
  int timed = 0;
  for (const auto& trial : trials.value()) {
    EXPECT_TRUE(problem.value().space.check(trial.config).ok()) << trial.config.text();
    timed += trial.outcome == Outcome::kTimed ? 1 : 0;
  }
  EXPECT_EQ(timed, 6);
}

TEST(RecordedResults, CoverTheWholeProblemWhereTheExtraFolderHasThem) {
  const auto text = test::extra_text("convolution_A100.T4.json.gz");
  if (text.empty()) GTEST_SKIP() << "FUSELAB_REPLAY_DIR has no convolution_A100.T4.json.gz";
  const auto problem = parse_t1(test::recorded_text("convolution.T1.json"));
  const auto trials = parse_t4(text);
  ASSERT_TRUE(trials.ok()) << trials.error().message;
  EXPECT_EQ(trials.value().size(), 4362U);
  for (const auto& trial : trials.value()) ASSERT_TRUE(problem.value().space.check(trial.config).ok()) << trial.config.text();
}

TEST(RecordedResults, KeepTheFailuresOfAKernelTunerCache) {
  const auto recorded = parse_kernel_tuner(test::recorded_text("pnpoly_RTX3090.kernel_tuner.json"));
  ASSERT_TRUE(recorded.ok()) << recorded.error().message;
  EXPECT_EQ(recorded.value().trials.size(), 1980U);
  const auto failed = std::count_if(recorded.value().trials.begin(), recorded.value().trials.end(),
                                    [](const auto& trial) { return trial.outcome == Outcome::kLaunchError; });
  EXPECT_EQ(failed, 140);
}

}  // namespace
}  // namespace fuselab::tuner
