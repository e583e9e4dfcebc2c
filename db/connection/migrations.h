// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "db/connection/connection.h"

namespace fuselab::db {

// The schema from which on uses of pieces have a level and an element type.
inline constexpr int kSchemaOfQuestions = 3;
// The schema from which on conditions of blocks are stored.
inline constexpr int kSchemaOfConditions = 4;
// The schema from which on searches store the reason for their choice.
inline constexpr int kSchemaOfDecisions = 5;
// The schema from which on comparisons of pieces' plans in fresh processes are stored.
inline constexpr int kSchemaOfGains = 6;
// The schema from which on answers of profilers' collectors are stored.
inline constexpr int kSchemaOfProfiles = 7;
// The schema from which on sources are signed when they are stored.
inline constexpr int kSchemaOfVouchers = 8;
// The schema from which on ceilings have a form, and blocks the ceilings that were timed with them.
inline constexpr int kSchemaOfPairedCeilings = 9;
// The schema from which on runs have names, tags, notes and a pin.
inline constexpr int kSchemaOfRunMarks = 10;

// Returns the schema that this program writes: the number of the last file in resources/schema.
int newest_schema();
// Migrates the database from schema `from` to `to` in one transaction. Throws SQLite::Exception.
void migrate(Connection& connection, int from, int to);

}  // namespace fuselab::db
