// SPDX-License-Identifier: Apache-2.0
#include "core/measure/disturbance.h"
#include "db/connection/migrations.h"
#include "db/connection/row_io.h"
#include "db/rows/enum_text.h"
#include "db/upkeep/maintenance.h"

namespace fuselab::db {
namespace {

// The run's trials, found by a pass over the index: the rows of a large database are not touched.
const std::string kOfRun = " t.sequence IN (SELECT sequence FROM trial INDEXED BY trial_filter WHERE run = ?1) ";

template <typename Read>
void each_row(Connection& connection, const std::string& sql, std::int64_t run, Read read) {
  SQLite::Statement& query = connection.statement(sql);
  RowBinder(query).integer(run);
  while (query.executeStep()) {
    RowReader row(query);
    read(row);
  }
}

void read_places(Connection& connection, std::int64_t run, RunCard& card) {
  each_row(connection,
           "SELECT DISTINCT w.text, e.host, e.device_uuid, e.driver, e.cpu_model, e.microcode, e.os_kernel, e.clock_policy,"
           " e.tool_version FROM trial t JOIN word w ON w.no = t.device JOIN environment e ON e.no = t.environment WHERE" +
               kOfRun + "ORDER BY w.text, e.no",
           run, [&](RowReader& row) {
             auto& [device, environment] = card.environments.emplace_back();
             device = row.text();
             environment.host = row.text();
             environment.device_uuid = row.text();
             environment.driver = row.text();
             environment.cpu_model = row.text();
             environment.microcode = row.text();
             environment.os_kernel = row.text();
             environment.clock_policy = row.text();
             environment.tool_version = row.text();
           });
}

Status read_metrics(Connection& connection, std::int64_t run, RunCard& card) {
  Status sound;
  each_row(connection,
           "SELECT mode, what, threads, input_pattern, input_seed, protocol_version, detail FROM metric WHERE no IN"
           " (SELECT metric FROM trial INDEXED BY trial_filter WHERE run = ?1) ORDER BY no",
           run, [&](RowReader& row) {
             MetricIdentity& metric = card.metrics.emplace_back();
             const auto mode = parse_cache_mode(row.text());
             metric.what = row.text();
             metric.threads = row.small();
             const auto pattern = parse_input_pattern(row.text());
             metric.inputs.seed = static_cast<std::uint64_t>(row.integer());
             metric.protocol_version = row.small();
             metric.detail = row.text();
             if (!mode.ok()) sound = mode.error();
             if (!pattern.ok()) sound = pattern.error();
             if (mode.ok()) metric.mode = mode.value();
             if (pattern.ok()) metric.inputs.pattern = pattern.value();
           });
  return sound;
}

// A stack that is compiler and library in one is one program.
void read_software(Connection& connection, std::int64_t run, RunCard& card) {
  each_row(connection,
           "WITH used AS (SELECT DISTINCT j.value AS key FROM trial t, json_each(t.kernel_keys) j WHERE" + kOfRun +
               "), programs AS (SELECT compiler AS name, compiler_version AS version FROM kernel JOIN used USING (key)"
               " WHERE library = '' UNION SELECT library, library_version FROM kernel JOIN used USING (key) WHERE library <> '')"
               " SELECT name, version FROM programs WHERE name <> '' ORDER BY name, version",
           run, [&](RowReader& row) {
             auto& [name, version] = card.software.emplace_back();
             name = row.text();
             version = row.text();
           });
}

void read_outcomes(Connection& connection, std::int64_t run, RunCard& card) {
  each_row(connection,
           "SELECT outcome, count(*) FROM trial INDEXED BY trial_filter WHERE run = ?1 GROUP BY outcome ORDER BY 2 DESC", run,
           [&](RowReader& row) {
             auto& [outcome, trials] = card.outcomes.emplace_back();
             outcome = row.text();
             trials = row.integer();
           });
  each_row(connection, "SELECT reason FROM trial t WHERE t.outcome = 'timed' AND t.reason <> '' AND" + kOfRun, run,
           [&](RowReader& row) {
             PlanResult result;
             result.outcome = Outcome::kTimed;
             result.reason = row.text();
             if (says_disturbed(result)) ++card.disturbed;
           });
}

void read_conditions(Connection& connection, std::int64_t run, RunCard& card) {
  if (connection.integer("PRAGMA user_version") < kSchemaOfConditions) return;
  each_row(connection,
           "SELECT count(*), ifnull(sum(wall_s), 0), ifnull(sum(steal_s), 0), ifnull(sum(throttled_s), 0),"
           " ifnull(sum(involuntary_switches), 0), ifnull(min(load), 0), ifnull(max(load), 0),"
           " ifnull(min(nullif(clock_mhz, 0)), 0), ifnull(max(clock_mhz), 0), ifnull(max(celsius_high), 0),"
           " ifnull(max(watts_high), 0) FROM block_conditions WHERE block IN (SELECT t.block FROM trial t WHERE" +
               kOfRun + ")",
           run, [&](RowReader& row) {
             RunConditions& conditions = card.conditions;
             conditions.blocks = row.integer();
             conditions.timed_seconds = row.real();
             conditions.steal_seconds = row.real();
             conditions.throttled_seconds = row.real();
             conditions.involuntary_switches = row.integer();
             conditions.load_low = row.real();
             conditions.load_high = row.real();
             conditions.clock_mhz_low = row.real();
             conditions.clock_mhz_high = row.real();
             conditions.celsius_high = row.real();
             conditions.watts_high = row.real();
           });
}

}  // namespace

Result<RunCard> read_run_card(Connection& connection, const std::string& run_id) {
  SQLite::Statement& query = connection.statement("SELECT no FROM run WHERE id = ?");
  RowBinder(query).text(run_id);
  if (!query.executeStep()) return Error{ErrorCode::kNotFound, "this run is not stored"};
  const std::int64_t run = RowReader(query).integer();
  RunCard card;
  read_places(connection, run, card);
  FL_TRY_VOID(read_metrics(connection, run, card));
  read_software(connection, run, card);
  read_outcomes(connection, run, card);
  read_conditions(connection, run, card);
  return card;
}

}  // namespace fuselab::db
