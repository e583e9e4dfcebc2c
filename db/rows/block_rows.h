// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "core/store/result_store.h"
#include "db/connection/connection.h"
#include "db/rows/kernel_rows.h"

namespace fuselab::db {

// One row; `block` is its word's number. Throws SQLite::Exception.
void put(Connection& connection, std::int64_t block, const BlockConditions& conditions, const RowOrigin& origin);

// Nothing for a block of before they were stored, or of a file of before. Canaries are not stored.
Result<std::optional<BlockConditions>> conditions_of(Connection& connection, const std::string& block_id);

}  // namespace fuselab::db
