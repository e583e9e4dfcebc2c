// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "core/base/result.h"
#include "core/store/result_store.h"
#include "db/connection/connection.h"
#include "db/rows/trial_figures.h"

namespace fuselab::db {

// Private row numbers of what a trial refers to.
struct TrialReferences {
  std::int64_t run = 0, piece = 0, metric = 0, environment = 0;
  std::int64_t device = 0, backend = 0, process = 0, block = 0, host = 0;
};

// Appends one row. Throws SQLite::Exception.
void insert_trial(Connection& connection, const TrialRecord& trial, const TrialReferences& references);

// Larger than any time: the rank of what was not timed.
inline constexpr double kUntimedRank = 1e300;

// "SELECT … FROM trial t JOIN …" for read_trial(); a WHERE clause follows. The figures are those of the samples; what the columns
// say goes into `columns`. kCorrupt: unreadable, or timed here without samples.
extern const std::string kSelectTrial;
Result<TrialRecord> read_trial(SQLite::Statement& statement, TrialFigures* columns = nullptr);

// The same for one line of a results table, whose figures are also those of its samples.
extern const std::string kSelectTrialRow;
Result<TrialRow> read_trial_row(SQLite::Statement& statement);

}  // namespace fuselab::db
