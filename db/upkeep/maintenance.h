// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "core/base/result.h"
#include "core/store/run_card.h"
#include "db/connection/connection.h"
#include "db/connection/trust.h"
#include "db/upkeep/reports.h"

namespace fuselab::db {

// Returns how many trials each run has on each device; runs in the order in which they were stored.
std::vector<RunTrials> count_run_trials(Connection& connection, bool include_synthetic);
// Returns what the rows of the run say of where, with what and how quietly it was measured. Fails with kNotFound for a run that is
// not stored.
Result<RunCard> read_run_card(Connection& connection, const std::string& run_id);
// Returns the number of rows of each table, in the schema's order.
RowCounts count_rows(Connection& connection);

DatabaseInfo read_info(Connection& connection, const std::filesystem::path& path);
Result<VerifyReport> verify_rows(Connection& connection, Trust& trust);
// Drops binaries inside the caller's transaction; the file shrinks with the next VACUUM.
Status drop_binaries(Connection& connection, Bytes budget, const GcRules& rules, GcReport& report);
// Checks that merge_rows() would accept the file; it fails with the same errors.
Status check_mergeable(const std::filesystem::path& other, Trust& trust);
// Merges in a transaction of its own, since a database cannot be attached inside one.
// Fails with kCorrupt, copying nothing, when the other database is not sound by the rules of `db verify`.
Status merge_rows(Connection& connection, const std::filesystem::path& other, Trust& trust, MergeReport& merged);

}  // namespace fuselab::db
