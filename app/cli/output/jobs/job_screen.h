// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "app/cli/shell/terminal.h"
#include "app/views/snapshots.h"

namespace fuselab::cli {

// Replaces the table of the same model and question, or adds this one.
void keep_newest(std::vector<engine::CompareTable>& tables, const engine::CompareTable& changed);

// Returns the lines of a job's screen, each as wide as the terminal at most and together fewer than it has rows. A model has one:
// how many of its pieces have figures, the best device for all of it, the best mix's time, gain and share of the ceilings. `doing`:
// the last lines, what the job does now.
std::vector<std::string> screen_lines(const std::vector<engine::CompareTable>& tables, const std::vector<std::string>& doing,
                                      const Terminal& terminal);

// A terminal's picture of one job, painted over itself with what changed, five times a second at most. It hides no cursor and takes
// no other screen, so a killed program leaves the terminal as it was.
class JobScreen {
 public:
  using Clock = std::chrono::steady_clock;
  // `terminal` is asked at each painting, since windows change their size. `budget_seconds`: of the job, from now on.
  explicit JobScreen(std::function<Terminal()> terminal, std::optional<double> budget_seconds = {})
      : terminal_(std::move(terminal)), budget_seconds_(budget_seconds) {}

  void take(const engine::CompareTable& table);
  void take(const engine::JobProgress& progress);
  // Returns what to write to the terminal now; empty where nothing changed or the last painting is too young.
  std::string painting(Clock::time_point now);
  // Returns what erases the picture; the next painting begins where the cursor is then.
  std::string erasing();

 private:
  std::vector<std::string> doing(Clock::time_point now) const;

  std::function<Terminal()> terminal_;
  std::optional<double> budget_seconds_;
  Clock::time_point started_ = Clock::now();
  std::optional<Clock::time_point> painted_;
  std::vector<engine::CompareTable> tables_;
  engine::JobProgress progress_;
  std::vector<std::string> lines_;  // as they stand on the terminal
  int columns_ = 0;                 // of it when they were painted
};

}  // namespace fuselab::cli
