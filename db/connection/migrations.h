// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "db/connection/connection.h"

namespace fuselab::db {

// From this schema on, uses of pieces say at which level and of which element type.
inline constexpr int kSchemaOfQuestions = 3;
// From this schema on, conditions of blocks are stored.
inline constexpr int kSchemaOfConditions = 4;
// And searches why they chose what they did.
inline constexpr int kSchemaOfDecisions = 5;
// And how the plans of pieces compare in fresh processes.
inline constexpr int kSchemaOfGains = 6;

// The schema this program writes: the number of the last file in resources/schema.
int newest_schema();
// Brings the database from schema `from` to `to` in one transaction. Throws SQLite::Exception.
void migrate(Connection& connection, int from, int to);

}  // namespace fuselab::db
