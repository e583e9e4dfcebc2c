// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "app/engine/job/engine.h"

namespace fuselab::cli {

// Counts of a job's trials without a figure, by outcome.
struct Ended {
  int trials = 0;
  std::string example;  // reason of the first of them
};
using Outcomes = std::map<std::string, Ended>;

// Shows what a job has so far, if that is worth it; returns whether it did. The tables are of all its models.
using ShowEarly = std::function<bool(const std::vector<engine::CompareTable>& tables)>;

// How a job is shown while it runs.
struct Following {
  bool quiet = false;                      // warnings alone
  bool on_screen = false;                  // a JobScreen on stdout, which is a terminal
  std::optional<double> budget_seconds{};  // of the job; for the screen
};

// Shows a job's progress until it ends, on stderr where there is no screen; Ctrl-C cancels it and keeps what was measured.
// `show_early` is called with the tables until it showed them; without it nothing is shown before the end.
Status follow(engine::Job& job, const Following& how, Outcomes& outcomes, const ShowEarly& show_early = {});

// Returns whether Ctrl-C was pressed in a job that follow() watched.
bool was_interrupted();

}  // namespace fuselab::cli
