// SPDX-License-Identifier: Apache-2.0
#include "db/rows/gain_rows.h"

#include <string>

#include "core/fields/columns.h"
#include "db/connection/migrations.h"
#include "db/connection/row_io.h"

namespace fuselab::db {
namespace {

const std::string& columns() {
  static const std::string kColumns = fields::column_names<GainRecord>();
  return kColumns;
}

bool has_gains(Connection& connection) {
  return connection.integer("PRAGMA user_version") >= kSchemaOfGains;
}

GainRecord read(SQLite::Statement& query) {
  RowReader row(query);
  GainRecord gain;
  fields::read_columns(row, gain);
  return gain;
}

// Returns all comparisons of these plans that are possible, the newest first.
std::vector<GainRecord> gains_of(Connection& connection, const PlanPairKey& key) {
  std::vector<GainRecord> gains;
  if (!has_gains(connection)) return gains;
  SQLite::Statement& query = connection.statement(
      "SELECT " + columns() +
      " FROM gain WHERE fused_plan = ? AND unfused_plan = ? AND device_id = ?"
      " AND metric_key = ? AND environment_key = ? AND (? = '' OR run_id = ?) ORDER BY created_unix_ms DESC, no DESC");
  RowBinder(query)
      .text(key.fused_plan)
      .text(key.unfused_plan)
      .text(key.device_id)
      .text(key.metric_key)
      .text(key.environment_key)
      .text(key.run_id)
      .text(key.run_id);
  while (query.executeStep()) {
    GainRecord gain = read(query);
    if (gain.is_possible()) gains.push_back(std::move(gain));
  }
  return gains;
}

}  // namespace

void put(Connection& connection, const GainRecord& gain, const RowOrigin& origin) {
  SQLite::Statement& insert = connection.statement("INSERT OR REPLACE INTO gain (" + columns() + ", host, origin) VALUES (" +
                                                   fields::column_parameters<GainRecord>() + ",?,?)");
  RowBinder row(insert);
  fields::bind_columns(row, gain);
  row.text(origin.host).text(origin.origin);
  insert.exec();
}

std::vector<GainRecord> known_gains(Connection& connection, const PlanPairKey& key) {
  std::vector<GainRecord> gains = gains_of(connection, key);
  std::erase_if(gains, [](const GainRecord& gain) { return !gain.is_known(); });
  return gains;
}

Result<std::optional<GainRecord>> read_gain(Connection& connection, const PlanPairKey& key) {
  std::optional<GainRecord> strongest;
  for (GainRecord& gain : gains_of(connection, key)) {
    if (!gain.is_known()) {  // what was seen before one of the plans failed says nothing of it now
      if (!strongest) strongest = std::move(gain);
      break;
    }
    if (!strongest || gain.is_stronger_than(*strongest)) strongest = std::move(gain);
  }
  return strongest;
}

std::vector<std::string> damaged_gains(Connection& connection) {
  std::vector<std::string> damaged;
  if (!has_gains(connection)) return damaged;
  SQLite::Statement query(connection.raw(), "SELECT " + columns() + " FROM gain ORDER BY no");
  while (query.executeStep()) {
    const GainRecord gain = read(query);
    if (gain.is_possible()) continue;
    damaged.push_back("the gain of " + gain.piece_key.substr(0, 12) + " on " + gain.device_id +
                      " has figures that no comparison gives");
  }
  return damaged;
}

void merge_gains(Connection& connection) {
  connection.raw().exec("INSERT INTO main.gain (" + columns() + ", host, origin) SELECT " + columns() +
                        ", host, 'merged' FROM other.gain WHERE true ON CONFLICT DO NOTHING");
}

}  // namespace fuselab::db
