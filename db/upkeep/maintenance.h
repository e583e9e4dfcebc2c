// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "core/base/result.h"
#include "db/connection/connection.h"
#include "db/connection/trust.h"
#include "db/upkeep/reports.h"

namespace fuselab::db {

// Rows of each table, in the schema's order.
RowCounts count_rows(Connection& connection);

DatabaseInfo read_info(Connection& connection, const std::filesystem::path& path);
Result<VerifyReport> verify_rows(Connection& connection, Trust& trust);
// Inside the caller's transaction; the file shrinks with the next VACUUM.
Status drop_binaries(Connection& connection, Bytes budget, const GcRules& rules, GcReport& report);
// Whether merge_rows() would take it: the same errors.
Status check_mergeable(const std::filesystem::path& other, Trust& trust);
// Makes its own transaction: a database cannot be attached inside one. kCorrupt when the other database is not sound as `db verify`
// sees it: then nothing was copied.
Status merge_rows(Connection& connection, const std::filesystem::path& other, Trust& trust, RowCounts& added);

}  // namespace fuselab::db
