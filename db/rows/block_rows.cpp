// SPDX-License-Identifier: Apache-2.0
#include "db/rows/block_rows.h"

#include "db/connection/migrations.h"
#include "db/connection/row_io.h"
#include "db/rows/json_columns.h"

namespace fuselab::db {

void put(Connection& connection, std::int64_t block, const BlockConditions& conditions, const RowOrigin& origin) {
  SQLite::Statement& insert = connection.statement(
      "INSERT INTO block_conditions (block, wall_s, threads, steal_s, throttled_s, involuntary_switches, waited_s, load, runnable,"
      " clock_mhz, timing_source, timer_overhead_ns, timer_resolution_ns, timer_timings, sensor_readings, throttle_reasons,"
      " core_mhz_low, core_mhz_high, memory_mhz_low, celsius_high, watts_high, driver, sensors_unknown, ceiling, host, origin)"
      " VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?) ON CONFLICT (block) DO NOTHING");
  const DeviceStates& device = conditions.device;
  const TimerCost& timer = conditions.timer;
  const std::string ceiling = to_json(conditions.ceiling);  // bound, not copied
  RowBinder row(insert);
  row.integer(block).real(conditions.wall_seconds).integer(conditions.threads).real(conditions.steal_seconds);
  row.real(conditions.throttled_seconds).integer(conditions.involuntary_switches).real(conditions.waited_seconds);
  row.real(conditions.load).integer(conditions.runnable).real(conditions.clock_mhz);
  row.name(fuselab::name_of(timer.source)).real(timer.overhead.count).real(timer.resolution.count).integer(timer.timings);
  row.integer(device.readings).integer(static_cast<std::int64_t>(device.throttle)).real(device.core_mhz_low);
  row.real(device.core_mhz_high).real(device.memory_mhz_low).real(device.celsius_high).real(device.watts_high);
  row.text(device.driver).text(device.unknown).text(ceiling).text(origin.host).text(origin.origin);
  insert.exec();
}

Result<std::optional<BlockConditions>> conditions_of(Connection& connection, const std::string& block_id) {
  const std::int64_t schema = connection.integer("PRAGMA user_version");
  if (schema < kSchemaOfConditions) return std::optional<BlockConditions>();
  SQLite::Statement& query = connection.statement(
      std::string(
          "SELECT c.wall_s, c.threads, c.steal_s, c.throttled_s, c.involuntary_switches, c.waited_s, c.load, c.runnable, "
          "c.clock_mhz,"
          " c.timing_source, c.timer_overhead_ns, c.timer_resolution_ns, c.timer_timings, c.sensor_readings, c.throttle_reasons,"
          " c.core_mhz_low, c.core_mhz_high, c.memory_mhz_low, c.celsius_high, c.watts_high, c.driver, c.sensors_unknown,") +
      (schema < kSchemaOfPairedCeilings ? "''" : "c.ceiling") +
      " FROM block_conditions c JOIN word w ON w.no = c.block WHERE w.text = ?");
  RowBinder(query).text(block_id);
  if (!query.executeStep()) return std::optional<BlockConditions>();
  RowReader row(query);
  BlockConditions conditions;
  conditions.wall_seconds = row.real();
  conditions.threads = row.small();
  conditions.steal_seconds = row.real();
  conditions.throttled_seconds = row.real();
  conditions.involuntary_switches = row.small();
  conditions.waited_seconds = row.real();
  conditions.load = row.real();
  conditions.runnable = row.small();
  conditions.clock_mhz = row.real();
  TimerCost& timer = conditions.timer;
  const auto source = parse_timing_source(row.text());
  if (!source.ok()) return std::optional<BlockConditions>();  // damaged, or of a clock that only a newer Fuselab knows: not known
  timer.source = source.value();
  timer.overhead = {row.real()};
  timer.resolution = {row.real()};
  timer.timings = row.small();
  DeviceStates& device = conditions.device;
  device.readings = row.small();
  device.throttle = static_cast<std::uint64_t>(row.integer());
  device.core_mhz_low = row.real();
  device.core_mhz_high = row.real();
  device.memory_mhz_low = row.real();
  device.celsius_high = row.real();
  device.watts_high = row.real();
  device.driver = row.text();
  device.unknown = row.text();
  if (!from_json(row.text(), conditions.ceiling).ok()) conditions.ceiling = {};  // damaged: not known
  return std::optional(std::move(conditions));
}

}  // namespace fuselab::db
