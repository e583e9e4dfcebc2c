// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "app/cli/output/jobs/job_screen.h"
#include "app/cli/shell/terminal.h"
#include "app/views/snapshots.h"

namespace fuselab::cli {

// Returns "2 min 05 s left".
std::string time_left(double seconds);

// Returns "tuning 40%, 2 min 05 s left: Add+Gelu on cpu:0, Add alone: 12 of 64 configurations".
std::string progress_text(const engine::JobProgress& progress);

// Shows one job while it runs: on a terminal as one status line with the time left, rewritten in place; otherwise as a plain line
// whenever the activity changes. Warnings are printed whole. Everything goes to stderr, so that stdout holds only the result. With
// a screen, which is for a stdout that is a terminal, the models' lines stand above the status line, on stdout.
class JobProgressPrinter {
 public:
  // `terminal`: the abilities of stderr. `quiet`: show warnings and errors only.
  JobProgressPrinter(const Terminal& terminal, bool quiet, std::optional<JobScreen> screen = {})
      : terminal_(terminal), quiet_(quiet), screen_(std::move(screen)) {}
  ~JobProgressPrinter() { clear(); }
  JobProgressPrinter(const JobProgressPrinter&) = delete;
  JobProgressPrinter& operator=(const JobProgressPrinter&) = delete;

  void show(const engine::Event& event);
  void clear();
  void repaint();  // the screen, where it is time for that

 private:
  void show_progress(const engine::JobProgress& progress);

  Terminal terminal_;
  bool quiet_;
  std::optional<JobScreen> screen_;
  bool line_open_ = false;
  std::string last_activity_;
};

}  // namespace fuselab::cli
