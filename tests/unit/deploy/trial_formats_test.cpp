// SPDX-License-Identifier: Apache-2.0
#include "app/deploy/trials/trial_formats.h"

#include <gmock/gmock.h>

#include "tuner/formats/recorded_formats.h"

namespace fuselab::deploy {
namespace {

using ::testing::HasSubstr;

TunedTrial timed(std::int64_t tile, double median_ns) {
  TunedTrial trial;
  trial.config = {{"math", std::string("fast")}, {"tile", tile}};
  trial.runtimes_ns = {median_ns, median_ns * 1.5};
  trial.median_ns = median_ns;
  trial.compile_ns = 2e6;
  trial.created_unix_ms = 1764417600123;
  return trial;
}

TrialSet tuned_set() {
  TrialSet set;
  set.kernel = "stencil";
  set.device = "A processor";
  set.device_id = "cpu:0";
  set.problem = "height=64,width=32";
  set.parameters = {"math", "tile"};
  set.trials = {timed(8, 1e6), timed(4, 3e6)};
  TunedTrial wrong;
  wrong.config = {{"math", std::string("strict")}, {"tile", std::int64_t{2}}};
  wrong.outcome = Outcome::kWrongResult;
  wrong.reason = "output 0 at [3]: \"1\", expected 2";
  set.trials.push_back(wrong);
  return set;
}

// Our own reader of the format reads what was written; other tools' are strict in the same places.
TEST(TrialFormats, T4ReadsBack) {
  const auto trials = tuner::parse_t4(trials_text(tuned_set(), TrialFormat::kT4));
  ASSERT_TRUE(trials.ok()) << trials.error().message;
  ASSERT_EQ(trials.value().size(), 3u);
  EXPECT_EQ(trials.value()[0].config.text(), "math=fast,tile=8");
  EXPECT_THAT(trials.value()[0].runtimes_ns, ::testing::ElementsAre(1e6, 1.5e6));
  EXPECT_EQ(trials.value()[0].compile_ns, 2e6);
  EXPECT_EQ(trials.value()[2].outcome, Outcome::kWrongResult);
  EXPECT_THAT(trials_text(tuned_set(), TrialFormat::kT4), HasSubstr("\"2025-11-29 12:00:00.123000+00:00\""));
}

TEST(TrialFormats, KernelTunersCacheReadsBack) {
  const auto cache = tuner::parse_kernel_tuner(trials_text(tuned_set(), TrialFormat::kKernelTuner));
  ASSERT_TRUE(cache.ok()) << cache.error().message;
  EXPECT_EQ(cache.value().name, "stencil");
  EXPECT_EQ(cache.value().device, "A processor");
  ASSERT_EQ(cache.value().space.parameters().size(), 2u);
  EXPECT_EQ(cache.value().space.parameters()[1].values.size(), 3u);
  EXPECT_EQ(cache.value().trials.size(), 3u);
}

TEST(TrialFormats, WisdomHoldsTheFastest) {
  EXPECT_EQ(trials_text(tuned_set(), TrialFormat::kWisdom),
            "{\"version\":\"1.0\",\"key\":\"stencil\",\"objective\":\"time\",\"tunable_parameters\":[\"math\",\"tile\"]}\n"
            "{\"config\":[\"fast\",8],\"problem_size\":[64,32],\"time\":1.25,\"environment\":{\"device_name\":\"A processor\"}}\n");
}

TEST(TrialFormats, CsvHasALineForEach) {
  EXPECT_EQ(trials_text(tuned_set(), TrialFormat::kCsv),
            "math,tile,outcome,median_ns,runs,compile_ns\nfast,8,timed,1000000.0,2,2000000\nfast,4,timed,3000000.0,2,2000000\n"
            "strict,2,wrong-result,,0,0\n");
}

}  // namespace
}  // namespace fuselab::deploy
