// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <stop_token>
#include <vector>

#include "app/engine/execute/execute_subject.h"

namespace fuselab::engine {

// What is run several times.
struct StepsToRun {
  const ExecutionGraph& graph;
  const std::vector<std::vector<ExecutionCandidate>>& candidates;  // see RuntimeExecutor::run()
  const std::filesystem::path& folder;                             // for the tensors that are handed over
  const ExecuteSpec& spec;
  const GivenNumbers& numbers;
  WeightNumbers weights;          // let go once they lie in the folder
  bool several_subjects = false;  // outputs are then saved in a folder of this one's own
};

// Makes the inputs and runs a subject as often as the spec says. Between two runs, inputs that are fed back take the outputs that
// they are fed from, all at once, and inputs that are given for each run their next numbers. Outputs are read, saved and held
// against what is expected after each run where the runs differ, and after the last one where they do not. Adds to `done`.
Status run_steps(RuntimeExecutor& executor, StepsToRun steps, std::stop_token stop, ExecutedSubject& done);

}  // namespace fuselab::engine
