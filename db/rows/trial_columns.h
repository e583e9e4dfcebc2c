// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "core/base/result.h"
#include "core/store/result_store.h"
#include "db/connection/connection.h"
#include "db/rows/trial_figures.h"

namespace fuselab::db {

// Internal row numbers of the records that a trial refers to.
struct TrialReferences {
  std::int64_t run = 0, piece = 0, metric = 0, environment = 0;
  std::int64_t device = 0, backend = 0, process = 0, block = 0, host = 0;
};

// Appends one row. Throws SQLite::Exception.
void insert_trial(Connection& connection, const TrialRecord& trial, const TrialReferences& references);

// The rank of a trial that was not timed; larger than any time.
inline constexpr double kUntimedRank = 1e300;

// "SELECT … FROM trial t JOIN …" for read_trial(); a WHERE clause follows. The figures are computed from the samples; those in the
// columns are stored to `columns`.
// Fails with kCorrupt for a row that is unreadable, or was timed here and has no samples.
extern const std::string kSelectTrial;
Result<TrialRecord> read_trial(SQLite::Statement& statement, TrialFigures* columns = nullptr);

// The same for one line of a results table, whose figures are also computed from its samples.
extern const std::string kSelectTrialRow;
Result<TrialRow> read_trial_row(SQLite::Statement& statement);

}  // namespace fuselab::db
