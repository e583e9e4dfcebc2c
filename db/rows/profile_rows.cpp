// SPDX-License-Identifier: Apache-2.0
#include "db/rows/profile_rows.h"

#include "core/fields/columns.h"
#include "db/connection/migrations.h"
#include "db/connection/row_io.h"

namespace fuselab::db {
namespace {

const std::string& profile_columns() {
  static const std::string kColumns = fields::column_names<ProfileRecord>();
  return kColumns;
}

bool has_profiles(Connection& connection) {
  return connection.integer("PRAGMA user_version") >= kSchemaOfProfiles;
}

}  // namespace

void put(Connection& connection, const ProfileRecord& profile, const RowOrigin& origin) {
  SQLite::Statement& insert =
      connection.statement("INSERT OR REPLACE INTO profile (" + profile_columns() + ", host, origin) VALUES (" +
                           fields::column_parameters<ProfileRecord>() + ",?,?)");
  RowBinder row(insert);
  fields::bind_columns(row, profile);
  row.text(origin.host).text(origin.origin);
  insert.exec();
}

std::vector<ProfileRecord> read_profiles(Connection& connection, const std::string& plan_key, const std::string& device_id,
                                         const std::string& environment_key) {
  std::vector<ProfileRecord> profiles;
  if (!has_profiles(connection) || plan_key.empty()) return profiles;
  SQLite::Statement& query = connection.statement("SELECT " + profile_columns() +
                                                  " FROM profile WHERE plan_key = ? AND device_id = ? AND environment_key = ?"
                                                  " ORDER BY created_unix_ms DESC, no DESC");
  RowBinder(query).text(plan_key).text(device_id).text(environment_key);
  while (query.executeStep()) {
    RowReader row(query);
    fields::read_columns(row, profiles.emplace_back());
  }
  return profiles;
}

std::vector<std::string> damaged_profiles(Connection& connection) {
  std::vector<std::string> damaged;
  if (!has_profiles(connection)) return damaged;
  SQLite::Statement query(connection.raw(),
                          "SELECT collector, plan_key FROM profile WHERE CASE WHEN json_valid(body)"
                          " THEN json_type(body) <> 'object' ELSE 1 END");
  while (query.executeStep()) {
    RowReader row(query);
    const std::string collector = row.text();
    damaged.push_back("what the collector '" + collector + "' said of plan " + row.text().substr(0, 12) + " is no report");
  }
  return damaged;
}

void merge_profiles(Connection& connection) {
  connection.raw().exec("INSERT INTO main.profile (" + profile_columns() + ", host, origin) SELECT " + profile_columns() +
                        ", host, 'merged' FROM other.profile WHERE true ON CONFLICT DO NOTHING");
}

}  // namespace fuselab::db
