// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "app/cli/shell/exit_code.h"
#include "app/engine/job/engine.h"
#include "core/base/result.h"

namespace fuselab::cli {

// Whether any cell has a measured figure.
bool has_figures(const engine::CompareTable& table);

// Why a job's tables are no success although the job came to its end: a piece that has no figure or no baseline because its results
// missed the tolerance (kNumerics) or because its figure beats the device's ceiling (kUntrusted), or not one figure in all tables
// (kUnavailable where a piece was skipped, memory lacking, say; else kNotFound).
Status verdict_on_job(const std::vector<engine::CompareTable>& tables);

// The code that a verdict ends a verb with: its error's, but a figure that is not believed leaves the run inconclusive.
ExitCode exit_code_of(const Status& verdict);

// What a database holds, whatever it is of; nothing where it cannot say.
struct StoredTrials {
  std::int64_t measured = 0;
  std::int64_t synthetic = 0;                                       // besides those
  std::vector<std::string> levels = {}, dtypes = {}, devices = {};  // of these
  std::string no_database = {};                                     // the file that would be read and is not there
  std::string shown_by = {};                                        // which options would show figures: see shown_by.h
  bool synthetic_shown = false;                                     // those take part already
  bool only_given = false;                                          // no model was measured, only kernels that --config named
};
StoredTrials stored_trials(engine::Engine& engine);

// The same for tables of what is stored: there is something to see, or why not and how to get it (kNotFound), held against what was
// asked for.
Status verdict_on_stored(const std::vector<engine::CompareTable>& tables, const StoredTrials& stored,
                         const engine::CompareSpec& asked = {});

// The same of an engine's own tables. What it holds besides is looked for only where there is no figure.
Status verdict_on_stored(const std::vector<engine::CompareTable>& tables, engine::Engine& engine, const engine::CompareSpec& asked);

// What is to be said of `dtype` where it was asked for and none of its tables' subjects takes one; empty: nothing.
std::string note_on_dtype(const std::vector<engine::CompareTable>& tables, const std::string& dtype);

// As print_document() takes it.
std::optional<Error> problem_of(const Status& status);

}  // namespace fuselab::cli
