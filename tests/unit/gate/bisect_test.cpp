// SPDX-License-Identifier: Apache-2.0
#include "app/gate/history/bisect.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <stop_token>

#include "app/gate/source/given_environment.h"

namespace fuselab::engine {
namespace {

// git-bisect(1): 0 good, 125 skip, other codes below 128 bad, the rest abort.
TEST(BisectAnswer, SaysToGitWhatACheckMeant) {
  EXPECT_EQ(answer_of(0), BisectAnswer::kGood);
  EXPECT_EQ(answer_of(1), BisectAnswer::kBad);
  for (const int code : {2, 3, 4, 5, 6, 7}) EXPECT_EQ(answer_of(code), BisectAnswer::kSkip) << code;
  for (const int code : {8, 125, 126, 127, 128, 255, -1}) EXPECT_EQ(answer_of(code), BisectAnswer::kAbort) << code;
  EXPECT_EQ(static_cast<int>(BisectAnswer::kSkip), 125);
  EXPECT_EQ(static_cast<int>(BisectAnswer::kAbort), 128);
}

TEST(BisectStep, AFailedBuildSkipsAndWhatIsNotThereAborts) {
  const StepTaken skipped = take_step({"/", "echo no such header; exit 1", "true", {}});
  EXPECT_EQ(skipped.answer, BisectAnswer::kSkip);
  EXPECT_EQ(skipped.reason, "the build failed: no such header");
  EXPECT_EQ(take_step({"/", "true", "true", {}}).answer, BisectAnswer::kGood);
  EXPECT_EQ(take_step({"/", "", "false", {}}).answer, BisectAnswer::kBad);
  EXPECT_EQ(take_step({"/", "", "/nosuch/program", {}}).answer, BisectAnswer::kAbort);
  EXPECT_EQ(take_step({"/", "", "kill -9 $$", {}}).answer, BisectAnswer::kAbort);
  EXPECT_EQ(take_step({"/nosuch", "", "true", {}}).answer, BisectAnswer::kAbort);
}

TEST(BisectStep, IsToldToStopAndTellsNobodyOfAnotherRepository) {
  std::stop_source stop;
  stop.request_stop();
  const StepTaken stopped = take_step({"/", "", "sleep 60", {}, platform::ProcessGroup::kOwn}, stop.get_token());
  EXPECT_EQ(stopped.answer, BisectAnswer::kAbort);
  EXPECT_EQ(stopped.reason, "cancelled");
  ::setenv("GIT_DIR", "/nosuch", 1);
  EXPECT_EQ(take_step({"/", "", "test -z \"$GIT_DIR\"", {}}).answer, BisectAnswer::kGood);
  ::unsetenv("GIT_DIR");
}

TEST(BisectStep, BuildsAndChecksInWhatWasGivenBeforeGit) {
  ::setenv("GIVEN", "as before", 1);
  ::setenv("GIT_DIR", "/nosuch", 1);
  const auto carried = carried_environment();
  for (const auto& [name, value] : carried) ::setenv(name.c_str(), value.c_str(), 1);
  ::setenv("GIVEN", "changed", 1);
  ::setenv("GIT_EXEC_PATH", "/added", 1);
  const char* const as_given = "test \"$GIVEN\" = 'as before' && test -z \"$GIT_EXEC_PATH$GIT_DIR$(env | grep ^FUSELAB_GIVEN)\"";
  EXPECT_EQ(take_step({"/", as_given, as_given, {}}).answer, BisectAnswer::kGood);
  for (const auto& [name, value] : carried) ::unsetenv(name.c_str());
  EXPECT_EQ(take_step({"/", "", "test \"$GIVEN$GIT_EXEC_PATH\" = changed/added", {}}).answer, BisectAnswer::kGood)
      << "nothing was carried";
  for (const char* name : {"GIVEN", "GIT_DIR", "GIT_EXEC_PATH"}) ::unsetenv(name);
}

}  // namespace
}  // namespace fuselab::engine
