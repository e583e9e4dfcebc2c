// SPDX-License-Identifier: Apache-2.0
#include "db/rows/gain_rows.h"

#include <string>

#include "db/connection/migrations.h"
#include "db/connection/row_io.h"

namespace fuselab::db {
namespace {

const std::string& columns() {
  static const std::string kColumns =
      "piece_key, device_id, metric_key, environment_key, fused_plan, unfused_plan, run_id, verdict, ratio, low, high, processes,"
      " reason, created_unix_ms";
  return kColumns;
}

bool has_gains(Connection& connection) {
  return connection.integer("PRAGMA user_version") >= kSchemaOfGains;
}

GainRecord read(SQLite::Statement& query) {
  RowReader row(query);
  GainRecord gain;
  gain.piece_key = row.text();
  gain.device_id = row.text();
  gain.metric_key = row.text();
  gain.environment_key = row.text();
  gain.fused_plan = row.text();
  gain.unfused_plan = row.text();
  gain.run_id = row.text();
  gain.verdict = row.text();
  gain.ratio = row.real();
  gain.low = row.real();
  gain.high = row.real();
  gain.processes = row.small();
  gain.reason = row.text();
  gain.created_unix_ms = row.integer();
  return gain;
}

}  // namespace

void put(Connection& connection, const GainRecord& gain, const RowOrigin& origin) {
  SQLite::Statement& insert = connection.statement("INSERT OR REPLACE INTO gain (" + columns() +
                                                   ", host, origin) VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)");
  RowBinder row(insert);
  row.text(gain.piece_key).text(gain.device_id).text(gain.metric_key).text(gain.environment_key);
  row.text(gain.fused_plan).text(gain.unfused_plan).text(gain.run_id).text(gain.verdict);
  row.real(gain.ratio).real(gain.low).real(gain.high).integer(gain.processes).text(gain.reason);
  row.integer(gain.created_unix_ms).text(origin.host).text(origin.origin);
  insert.exec();
}

Result<std::optional<GainRecord>> read_gain(Connection& connection, const PlanPairKey& key) {
  if (!has_gains(connection)) return std::optional<GainRecord>();
  SQLite::Statement& query =
      connection.statement("SELECT " + columns() +
                           " FROM gain WHERE fused_plan = ? AND unfused_plan = ? AND device_id = ?"
                           " AND metric_key = ? AND environment_key = ? ORDER BY created_unix_ms DESC LIMIT 1");
  RowBinder(query).text(key.fused_plan).text(key.unfused_plan).text(key.device_id).text(key.metric_key).text(key.environment_key);
  if (!query.executeStep()) return std::optional<GainRecord>();
  GainRecord gain = read(query);
  return gain.is_possible() ? std::optional(std::move(gain)) : std::nullopt;
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
