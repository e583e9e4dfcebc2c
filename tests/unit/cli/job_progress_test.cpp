// SPDX-License-Identifier: Apache-2.0
#include "app/cli/output/jobs/job_progress.h"

#include <gtest/gtest.h>

namespace fuselab::cli {
namespace {

engine::JobProgress tuning(std::optional<double> seconds_left) {
  engine::JobProgress progress;
  progress.state = engine::JobState::kRunning;
  progress.phase = "tuning";
  progress.activity = "Add+Gelu on cpu:0";
  progress.done = 0.407;
  progress.seconds_left = seconds_left;
  return progress;
}

TEST(ProgressText, SaysTheTimeLeftInTheUnitThatFits) {
  EXPECT_EQ(progress_text(tuning(std::nullopt)), "tuning 40%: Add+Gelu on cpu:0");
  EXPECT_EQ(progress_text(tuning(0.2)), "tuning 40%, 0 s left: Add+Gelu on cpu:0");
  EXPECT_EQ(progress_text(tuning(-3.0)), "tuning 40%, 0 s left: Add+Gelu on cpu:0");
  EXPECT_EQ(progress_text(tuning(59.4)), "tuning 40%, 59 s left: Add+Gelu on cpu:0");
  EXPECT_EQ(progress_text(tuning(59.6)), "tuning 40%, 1 min 00 s left: Add+Gelu on cpu:0");
  EXPECT_EQ(progress_text(tuning(125)), "tuning 40%, 2 min 05 s left: Add+Gelu on cpu:0");
  EXPECT_EQ(progress_text(tuning(3900)), "tuning 40%, 1 h 05 min left: Add+Gelu on cpu:0");
}

class Printed : public testing::Test {
 protected:
  // What is printed to stderr for these events.
  static std::string by(const Terminal& terminal, bool quiet, const std::vector<engine::Event>& events) {
    testing::internal::CaptureStderr();
    {
      JobProgressPrinter printer(terminal, quiet);
      for (const engine::Event& event : events) printer.show(event);
    }
    return testing::internal::GetCapturedStderr();
  }
};

TEST_F(Printed, APlainLineOnlyWhenTheActivityChanges) {
  EXPECT_EQ(by(Terminal(), false, {tuning(9), tuning(8), tuning(7)}), "tuning 40%, 9 s left: Add+Gelu on cpu:0\n");
}

TEST_F(Printed, StepsWithinOnePieceMoveTheLineOfATerminalOnly) {
  engine::JobProgress step = tuning(8);
  step.detail = "Add alone: 12 of 64 configurations";
  EXPECT_EQ(progress_text(step), "tuning 40%, 8 s left: Add+Gelu on cpu:0, Add alone: 12 of 64 configurations");
  EXPECT_EQ(by(Terminal(), false, {tuning(9), step}), "tuning 40%, 9 s left: Add+Gelu on cpu:0\n");
  Terminal terminal;
  terminal.interactive = true;
  EXPECT_NE(by(terminal, false, {tuning(9), step}).find("12 of 64"), std::string::npos);
}

TEST_F(Printed, OneLineRewrittenInPlaceAndErasedAtTheEnd) {
  Terminal terminal;
  terminal.interactive = true;
  terminal.columns = 12;
  EXPECT_EQ(by(terminal, false, {tuning(9), tuning(8)}), "\r\x1b[2Ktuning 40%,…\r\x1b[2Ktuning 40%,…\r\x1b[2K");
}

TEST_F(Printed, QuietKeepsWarnings) {
  const std::vector<engine::Event> events{tuning(9), engine::LogLine{engine::LogLine::Level::kInfo, "by the way"},
                                          engine::LogLine{engine::LogLine::Level::kWarning, "look out"}};
  EXPECT_EQ(by(Terminal(), true, events), "warning: look out\n");
  EXPECT_EQ(by(Terminal(), false, events), "tuning 40%, 9 s left: Add+Gelu on cpu:0\nby the way\nwarning: look out\n");
}

TEST_F(Printed, NothingOnceTheJobHasEnded) {
  engine::JobProgress ended = tuning(std::nullopt);
  ended.state = engine::JobState::kFinished;
  EXPECT_EQ(by(Terminal(), false, {ended}), "");
}

}  // namespace
}  // namespace fuselab::cli
