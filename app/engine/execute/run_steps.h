// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <set>
#include <stop_token>
#include <string>
#include <vector>

#include "app/engine/execute/execute_subject.h"

namespace fuselab::engine {

// What is run several times.
struct StepsToRun {
  const ExecutionGraph& graph;
  const std::vector<std::vector<ExecutionCandidate>>& candidates;  // see RuntimeExecutor::run()
  const std::filesystem::path& folder;                             // holds the inputs; for the tensors that are handed over
  const ExecuteSpec& spec;
  const GivenNumbers& numbers;
  const std::set<std::string>& not_of_file;  // see write_inputs()
  platform::Links links;                     // as in Config
  bool several_subjects = false;             // outputs are then saved in a folder of this one's own
};

// Makes the inputs of the first run, weights among them, as files of a folder (see RuntimeExecutor), and counts in `done` where
// each came from. Returns the names of those whose numbers are not a model file's.
Result<std::set<std::string>> write_inputs(const ExecutionGraph& graph, const std::filesystem::path& folder,
                                           const ExecuteSpec& spec, const GivenNumbers& numbers, const WeightNumbers& weights,
                                           ExecutedSubject& done);

// Runs a subject as often as the spec says. Between two runs, inputs that are fed back take the outputs that they are fed from, all
// at once, and inputs that are given for each run their next numbers. Outputs are read, saved and held against what is expected
// after each run where the runs differ, and after the last one where they do not. Adds to `done`.
Status run_steps(RuntimeExecutor& executor, const StepsToRun& steps, std::stop_token stop, ExecutedSubject& done);

}  // namespace fuselab::engine
