// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <string>

#include "app/engine/job/engine.h"

namespace fuselab::cli {

// Counts of a job's trials without a figure, by outcome.
struct Ended {
  int trials = 0;
  std::string example;  // reason of the first of them
};
using Outcomes = std::map<std::string, Ended>;

// Shows a job's progress on stderr until it ends; Ctrl-C cancels it and keeps what was measured. `on_first_figures` is called once,
// with the first table that has any; without it nothing is shown before the end.
Status follow(engine::Job& job, bool quiet, Outcomes& outcomes,
              const std::function<void(const engine::CompareTable&)>& on_first_figures = {});

// Returns whether Ctrl-C was pressed in a job that follow() watched.
bool was_interrupted();

}  // namespace fuselab::cli
