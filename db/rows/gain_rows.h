// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/store/result_store.h"
#include "db/connection/connection.h"
#include "db/rows/kernel_rows.h"

// The table `gain`: there from schema kSchemaOfGains on. Throw SQLite::Exception.
namespace fuselab::db {

void put(Connection& connection, const GainRecord& gain, const RowOrigin& origin);

// The newest of these two plans on the device, or nothing; figures that no comparison gives are as good as none.
Result<std::optional<GainRecord>> read_gain(Connection& connection, const PlanPairKey& key);

// In words, each row whose figures no comparison gives.
std::vector<std::string> damaged_gains(Connection& connection);

// Copies those of the attached database `other` that are not here yet.
void merge_gains(Connection& connection);

}  // namespace fuselab::db
