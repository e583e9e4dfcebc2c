// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/store/result_store.h"
#include "db/connection/connection.h"
#include "db/rows/kernel_rows.h"

// Access to the table `gain`, which exists from schema kSchemaOfGains on. The functions throw SQLite::Exception.
namespace fuselab::db {

void put(Connection& connection, const GainRecord& gain, const RowOrigin& origin);

// Returns the strongest gain of these two plans on the device since one of them last failed, the newest of equally strong ones;
// that failure where nothing came after it; or nothing. Rows with figures that no comparison gives are ignored.
// Returns every comparison of these plans that is known, of any run.
std::vector<GainRecord> known_gains(Connection& connection, const PlanPairKey& key);
Result<std::optional<GainRecord>> read_gain(Connection& connection, const PlanPairKey& key);

// Returns a sentence for each row whose figures no comparison gives.
std::vector<std::string> damaged_gains(Connection& connection);

// Copies the rows of the attached database `other` that are missing here.
void merge_gains(Connection& connection);

}  // namespace fuselab::db
