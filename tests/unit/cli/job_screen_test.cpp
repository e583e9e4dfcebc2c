// SPDX-License-Identifier: Apache-2.0
#include "app/cli/output/jobs/job_screen.h"

#include <gmock/gmock.h>

#include <algorithm>

#include "tests/unit/cli/tables.h"

namespace fuselab::cli {
namespace {

using std::chrono::milliseconds;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::StartsWith;

engine::CompareTable screen_model(const std::string& name, double fused_ns = 2e6) {
  engine::CompareTable table = table_of({});
  table.model = name;
  table.rows.resize(5);
  table.totals = {{"cpu:0", 3e6, 2.5e6, 1e6, 0, 4, 5}, {"openmp:0", 3e6, 2.4e6, 1e6, 0, 4, 5}, {"opencl:0", 3e6, 1e6, 0, 0, 2, 5}};
  table.totals.push_back({engine::kBestMix, 3e6, fused_ns, 1e6, 0, 4, 5});
  return table;
}

engine::JobProgress tuning_for(double seconds_left) {
  engine::JobProgress progress;
  progress.state = engine::JobState::kRunning;
  progress.phase = "tuning";
  progress.activity = "Add+Gelu on cpu:0";
  progress.done = 0.4;
  progress.seconds_left = seconds_left;
  return progress;
}

TEST(JobScreen, HasALineForEachModelAndOneForWhatIsDone) {
  const auto lines = screen_lines({screen_model("m"), table_of({})}, {"tuning 40%"}, Terminal());
  ASSERT_EQ(lines.size(), 4U);
  EXPECT_THAT(lines[0], MatchesRegex("model +pieces +best device +best mix +gain +of ceiling"));
  EXPECT_THAT(lines[1], MatchesRegex("m, O2 +4/5 +openmp:0 +2.00 ms +1.50x +50%"))
      << "a sum over fewer pieces is not the best device's";
  EXPECT_THAT(lines[2], MatchesRegex("w1-bias-gelu, O2 +0/1 +… +… +… +…"));
  EXPECT_EQ(lines[3], "tuning 40%");
}

TEST(JobScreen, FitsTheTerminal) {
  std::vector<engine::CompareTable> tables;
  for (int index = 0; index < 40; ++index)
    tables.push_back(screen_model("a-model-with-quite-a-long-name-" + std::to_string(index)));
  for (const int columns : {20, 60, 200}) {
    Terminal terminal;
    terminal.columns = columns;
    terminal.rows = 10;
    const auto lines = screen_lines(tables, {std::string(300, 'x'), "second"}, terminal);
    EXPECT_EQ(lines.size(), 9U) << "the cursor has the tenth";
    EXPECT_TRUE(std::all_of(lines.begin(), lines.end(),
                            [&](const auto& line) { return display_width(line) <= static_cast<std::size_t>(columns); }));
    EXPECT_EQ(lines[6], "and 35 more");
  }
}

TEST(JobScreen, PaintsOverItselfWhatChangedAndNotTooOften) {
  JobScreen screen([] { return Terminal(); });
  const auto start = JobScreen::Clock::now();
  EXPECT_EQ(screen.painting(start), "") << "nothing is known yet";
  screen.take(tuning_for(9));
  EXPECT_EQ(screen.painting(start), "\r\x1b[J\r\x1b[2Ktuning 40%, 9 s left: Add+Gelu on cpu:0\n");
  screen.take(tuning_for(8));
  EXPECT_EQ(screen.painting(start + milliseconds(199)), "");
  EXPECT_EQ(screen.painting(start + milliseconds(200)), "\x1b[1A\r\x1b[2Ktuning 40%, 8 s left: Add+Gelu on cpu:0\n");
  EXPECT_EQ(screen.painting(start + milliseconds(400)), "") << "nothing changed";
  screen.take(screen_model("m"));
  EXPECT_THAT(screen.painting(start + milliseconds(400)), StartsWith("\x1b[1A\r\x1b[2Kmodel"));
  EXPECT_EQ(screen.erasing(), "\x1b[3A\r\x1b[J");
  EXPECT_EQ(screen.erasing(), "");
  EXPECT_THAT(screen.painting(start + milliseconds(600)), StartsWith("\r\x1b[2Kmodel"));
}

TEST(JobScreen, BeginsAnewWhereTheWidthChanged) {
  Terminal terminal;
  JobScreen screen([&] { return terminal; });
  const auto start = JobScreen::Clock::now();
  screen.take(tuning_for(9));
  screen.painting(start);
  terminal.columns = 12;
  EXPECT_EQ(screen.painting(start + milliseconds(200)), "\r\x1b[J\r\x1b[2Ktuning 40%,…\n");
}

TEST(JobScreen, SaysHowLongTheWholeJobMayTake) {
  JobScreen screen([] { return Terminal(); }, 100);
  const auto start = JobScreen::Clock::now();
  screen.take(tuning_for(9));
  EXPECT_THAT(screen.painting(start), HasSubstr("whole job: about 1 min 40 s left; Ctrl-C keeps what was measured"));
  EXPECT_THAT(screen.painting(start + milliseconds(101'000)), HasSubstr("whole job: its time is over"));
}

}  // namespace
}  // namespace fuselab::cli
