// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "core/store/profile_record.h"
#include "db/connection/connection.h"
#include "db/rows/kernel_rows.h"

// Access to the table `profile`, which exists from schema kSchemaOfProfiles on. The functions throw SQLite::Exception.
namespace fuselab::db {

void put(Connection& connection, const ProfileRecord& profile, const RowOrigin& origin);

// Returns every answer about this plan on the device in the environment, the newest first.
std::vector<ProfileRecord> read_profiles(Connection& connection, const std::string& plan_key, const std::string& device_id,
                                         const std::string& environment_key);

// Returns a sentence for each row whose report is no JSON object.
std::vector<std::string> damaged_profiles(Connection& connection);

// Copies the rows of the attached database `other` that are missing here.
void merge_profiles(Connection& connection);

}  // namespace fuselab::db
