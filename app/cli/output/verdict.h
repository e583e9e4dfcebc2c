// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/cli/shell/exit_code.h"
#include "app/engine/job/engine.h"
#include "core/base/result.h"

namespace fuselab::cli {

// Returns whether any cell has a measured figure.
bool has_figures(const engine::CompareTable& table);

// Returns success, or why a job that came to its end is no success. Fails with kNumerics for a piece without a figure or a baseline
// because its results missed the tolerance, and with kUntrusted for a piece without any figure because one is withheld. Where no
// table has a figure, fails with kUnavailable if a piece was skipped (for lack of memory, say), else with kNotFound.
Status verdict_on_job(const std::vector<engine::CompareTable>& tables);

// Returns a line for each figure that is withheld: "Add+Gelu on cpu:0: fused withheld: …".
std::vector<std::string> withheld_figures(const std::vector<engine::CompareTable>& tables);

// Returns the exit code of a verb with that verdict: its error's code, except that a figure that is withheld makes the run
// inconclusive.
ExitCode exit_code_of(const Status& verdict);

// Counts of the trials in a database, whatever they are of; all zero and empty where the database cannot say.
struct StoredTrials {
  std::int64_t measured = 0;
  std::int64_t synthetic = 0;                                       // not included in `measured`
  std::vector<std::string> levels = {}, dtypes = {}, devices = {};  // among the trials
  std::string no_database = {};                                     // the file that would be read, when it does not exist
  std::string shown_by = {};                                        // the options that would show figures: see shown_by.h
  bool synthetic_shown = false;                                     // synthetic trials are already included
  bool only_given = false;                                          // no model was measured, only kernels named by --config
};
StoredTrials stored_trials(engine::Engine& engine);

// Returns success for tables of stored results that have figures, else kNotFound with the reason and how to get them, given what
// was asked for.
Status verdict_on_stored(const std::vector<engine::CompareTable>& tables, const StoredTrials& stored,
                         const engine::CompareSpec& asked = {});

// Does the same for an engine's own tables. Other stored trials are looked up only when there is no figure.
Status verdict_on_stored(const std::vector<engine::CompareTable>& tables, engine::Engine& engine, const engine::CompareSpec& asked);

// Returns a note that names the tables' models to which `dtype` does not apply, since they keep their own element types; empty
// where there are none or no `dtype` was asked for.
std::string note_on_dtype(const std::vector<engine::CompareTable>& tables, const std::string& dtype);

// Returns the status's error in the form that print_document() takes.
std::optional<Error> problem_of(const Status& status);

}  // namespace fuselab::cli
