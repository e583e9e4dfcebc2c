// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "core/store/result_store.h"
#include "db/connection/connection.h"
#include "db/rows/kernel_rows.h"

namespace fuselab::db {

// Adds one row; `block` is the number of its word. Throws SQLite::Exception.
void put(Connection& connection, std::int64_t block, const BlockConditions& conditions, const RowOrigin& origin);

// Returns nothing for a block or a file older than this table. Canaries are not stored.
Result<std::optional<BlockConditions>> conditions_of(Connection& connection, const std::string& block_id);

}  // namespace fuselab::db
