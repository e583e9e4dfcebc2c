// SPDX-License-Identifier: Apache-2.0
#include "app/cli/steps/follow_job.h"

#include <chrono>
#include <csignal>

#include "app/cli/output/job_progress.h"
#include "app/cli/output/verdict.h"
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

Status follow(engine::Job& job, bool quiet, Outcomes& outcomes,
              const std::function<void(const engine::CompareTable&)>& on_first_figures) {
  std::signal(SIGINT, note_interrupt);
  std::signal(SIGTERM, note_interrupt);
  JobProgressPrinter printer(Terminal::of_stderr(), quiet);
  bool shown = !on_first_figures;
  bool ended = false;
  while (!ended) {
    ended = job.wait_for(std::chrono::milliseconds(100));
    if (g_interrupted != 0) job.cancel();
    for (const engine::Event& event : job.drain()) {
      printer.show(event);
      if (const auto* finished = std::get_if<engine::TrialFinished>(&event)) note(outcomes, finished->row);
      const auto* changed = std::get_if<engine::TableChanged>(&event);
      if (shown || ended || g_interrupted != 0 || changed == nullptr || !has_figures(changed->table)) continue;
      printer.clear();
      on_first_figures(changed->table);
      shown = true;
    }
  }
  return job.result();
}

}  // namespace fuselab::cli
