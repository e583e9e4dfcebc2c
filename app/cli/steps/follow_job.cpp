// SPDX-License-Identifier: Apache-2.0
#include "app/cli/steps/follow_job.h"

#include <chrono>
#include <csignal>
#include <utility>

#include "app/cli/output/jobs/job_progress.h"
#include "core/measure/outcome.h"

namespace fuselab::cli {
namespace {

volatile std::sig_atomic_t g_interrupted = 0;

void note_interrupt(int /*signal*/) {
  g_interrupted = 1;
}

void note(Outcomes& outcomes, const TrialRow& row) {
  if (row.outcome == name_of(Outcome::kTimed)) return;
  Ended& ended = outcomes[row.outcome];
  if (++ended.trials == 1) ended.example = row.piece_name + " on " + row.device_id + ": " + row.reason;
}

}  // namespace

bool was_interrupted() {
  return g_interrupted != 0;
}

Status follow(engine::Job& job, const Following& how, Outcomes& outcomes, const ShowEarly& show_early) {
  std::signal(SIGINT, note_interrupt);
  std::signal(SIGTERM, note_interrupt);
  std::optional<JobScreen> screen;
  if (how.on_screen) screen.emplace(Terminal::of_stdout, how.budget_seconds);
  JobProgressPrinter printer(Terminal::of_stderr(), how.quiet, std::move(screen));
  std::vector<engine::CompareTable> tables;
  bool shown = !show_early;
  bool ended = false;
  while (!ended) {
    ended = job.wait_for(std::chrono::milliseconds(100));
    if (g_interrupted != 0) job.cancel();
    bool changed = false;
    for (const engine::Event& event : job.drain()) {
      printer.show(event);
      if (const auto* finished = std::get_if<engine::TrialFinished>(&event)) note(outcomes, finished->row);
      const auto* table = std::get_if<engine::TableChanged>(&event);
      if (shown || table == nullptr) continue;
      keep_newest(tables, table->table);
      changed = true;
    }
    if (!shown && !ended && g_interrupted == 0 && changed) {
      printer.clear();
      shown = show_early(tables);
    }
    if (!ended) printer.repaint();
  }
  return job.result();
}

}  // namespace fuselab::cli
