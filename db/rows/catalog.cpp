// SPDX-License-Identifier: Apache-2.0
#include "core/fields/columns.h"
#include "db/connection/migrations.h"
#include "db/connection/row_io.h"
#include "db/rows/enum_text.h"
#include "db/rows/json_columns.h"
#include "db/rows/small_tables.h"

namespace fuselab::db {
namespace {

// Calls `read(row)` for each row of a query.
template <typename Read>
Status each_row(Connection& connection, const std::string& sql, Read read) {
  SQLite::Statement& query = connection.statement(sql);
  while (query.executeStep()) {
    RowReader row(query);
    FL_TRY_VOID(read(row));
  }
  return {};
}

Status read_runs(Connection& connection, Catalog& catalog) {
  // A reader takes an older file as it is.
  const bool has_marks = connection.integer("PRAGMA user_version") >= kSchemaOfRunMarks;
  return each_row(connection,
                  std::string("SELECT id, verb, command, tool_version, run.host, state, started_unix_ms, finished_unix_ms, ") +
                      (has_marks ? "ifnull(m.name, ''), ifnull(m.tags, '[]'), ifnull(m.note, ''), ifnull(m.pinned, 0) FROM run"
                                   " LEFT JOIN run_mark m ON m.run = run.no"
                                 : "'', '[]', '', 0 FROM run") +
                      " ORDER BY started_unix_ms DESC, no DESC",
                  [&](RowReader& row) {
                    RunRecord run;
                    run.id = row.text();
                    run.verb = row.text();
                    run.command = row.text();
                    run.tool_version = row.text();
                    run.host = row.text();
                    run.state = row.text();
                    run.started_unix_ms = row.integer();
                    run.finished_unix_ms = row.integer();
                    run.marks.name = row.text();
                    // Damaged tags hide no run; `db verify` names them.
                    if (!from_json(row.text(), run.marks.tags).ok()) run.marks.tags.clear();
                    run.marks.note = row.text();
                    run.marks.pinned = row.boolean();
                    catalog.runs.push_back(std::move(run));
                    return Status();
                  });
}

Status read_pieces(Connection& connection, Catalog& catalog) {
  return each_row(
      connection,
      "SELECT key, canonical_text, name, pattern, read_bytes, written_bytes, eager_read_bytes, eager_written_bytes, flops"
      " FROM piece ORDER BY no",
      [&](RowReader& row) {
        PieceRecord piece;
        piece.key = row.text();
        piece.canonical_text = row.text();
        piece.name = row.text();
        piece.pattern = row.text();
        piece.cost.read = {row.integer()};
        piece.cost.written = {row.integer()};
        piece.cost.eager_read = {row.integer()};
        piece.cost.eager_written = {row.integer()};
        piece.cost.flops = row.real();
        catalog.pieces.push_back(std::move(piece));
        return Status();
      });
}

Status read_model_pieces(Connection& connection, Catalog& catalog) {
  // A reader takes an older file as it is.
  const bool knows_level = connection.integer("PRAGMA user_version") >= kSchemaOfQuestions;
  return each_row(connection,
                  knows_level
                      ? "SELECT r.id, q.model, q.binding, q.piece_key, q.name, q.position, q.count, q.reason, q.level, q.dtype"
                        " FROM model_piece q JOIN run r ON r.no = q.run ORDER BY q.run, q.model, q.binding, q.position"
                      : "SELECT r.id, q.model, q.binding, q.piece_key, q.name, q.position, q.count, q.reason, '', ''"
                        " FROM model_piece q JOIN run r ON r.no = q.run ORDER BY q.run, q.model, q.binding, q.position",
                  [&](RowReader& row) {
                    ModelPieceRecord piece;
                    piece.run_id = row.text();
                    piece.model = row.text();
                    piece.binding = row.text();
                    piece.piece_key = row.text();
                    piece.name = row.text();
                    piece.position = row.small();
                    piece.count = row.small();
                    piece.reason = row.text();
                    piece.level = row.text();
                    piece.dtype = row.text();
                    catalog.model_pieces.push_back(std::move(piece));
                    return Status();
                  });
}

Status read_devices(Connection& connection, Catalog& catalog) {
  return each_row(
      connection,
      "SELECT id, uuid, backend, type, position, name, synthetic, unified_memory, total_memory_bytes, free_memory_bytes,"
      " compute_units, compute_capability, driver_version, properties, target, other_targets FROM device ORDER BY no",
      [&](RowReader& row) -> Status {
        DeviceInfo device;
        device.id = row.text();
        device.uuid = row.text();
        device.backend = row.text();
        device.type = row.text();
        device.index = row.small();
        device.name = row.text();
        device.synthetic = row.boolean();
        device.unified_memory = row.boolean();
        device.total_memory_bytes = row.maybe_integer();
        device.free_memory_bytes = row.maybe_integer();
        device.compute_units = row.maybe_integer();
        device.compute_capability = row.maybe_text();
        device.driver_version = row.maybe_text();
        FL_TRY_VOID(from_json(row.text(), device.properties));
        FL_TRY_VOID(from_json(row.text(), device.target));
        FL_TRY_VOID(from_json(row.text(), device.other_targets));
        catalog.devices.push_back(std::move(device));
        return {};
      });
}

Status read_environments(Connection& connection, Catalog& catalog) {
  return each_row(
      connection,
      "SELECT key, host, device_uuid, driver, cpu_model, microcode, os_kernel, clock_policy, tool_version FROM environment"
      " ORDER BY no",
      [&](RowReader& row) {
        std::string key = row.text();
        EnvironmentIdentity environment;
        environment.host = row.text();
        environment.device_uuid = row.text();
        environment.driver = row.text();
        environment.cpu_model = row.text();
        environment.microcode = row.text();
        environment.os_kernel = row.text();
        environment.clock_policy = row.text();
        environment.tool_version = row.text();
        catalog.environments.emplace_back(std::move(key), std::move(environment));
        return Status();
      });
}

Status read_metrics(Connection& connection, Catalog& catalog) {
  return each_row(connection,
                  "SELECT key, mode, what, threads, input_pattern, input_seed, protocol_version, detail FROM metric ORDER BY no",
                  [&](RowReader& row) -> Status {
                    std::string key = row.text();
                    MetricIdentity metric;
                    FL_TRY(metric.mode, parse_cache_mode(row.text()));
                    metric.what = row.text();
                    metric.threads = row.small();
                    FL_TRY(metric.inputs.pattern, parse_input_pattern(row.text()));
                    metric.inputs.seed = static_cast<std::uint64_t>(row.integer());
                    metric.protocol_version = row.small();
                    metric.detail = row.text();
                    catalog.metrics.emplace_back(std::move(key), std::move(metric));
                    return {};
                  });
}

Status read_ceilings(Connection& connection, Catalog& catalog) {
  const bool has_forms = connection.integer("PRAGMA user_version") >= kSchemaOfPairedCeilings;
  return each_row(
      connection,
      (std::string(
           "SELECT e.key, c.kind, c.read_streams, c.write_streams, c.nontemporal, c.footprint_bytes, c.threads, c.per_second,"
           " c.low, c.high, ") +
       (has_forms ? "c.form" : "''") + " FROM ceiling c JOIN environment e ON e.no = c.environment WHERE " + kCeilingIsSound +
       " ORDER BY c.environment, c.position")
          .c_str(),
      [&](RowReader& row) {
        std::string key = row.text();
        if (catalog.ceilings.empty() || catalog.ceilings.back().first != key) {
          catalog.ceilings.emplace_back(std::move(key), CeilingTable());
        }
        Ceiling ceiling;
        ceiling.kind = row.text();
        ceiling.read_streams = row.small();
        ceiling.write_streams = row.small();
        ceiling.nontemporal = row.boolean();
        ceiling.footprint = {row.integer()};
        ceiling.threads = row.small();
        ceiling.per_second = row.real();
        ceiling.low = row.real();
        ceiling.high = row.real();
        ceiling.form = row.text();
        catalog.ceilings.back().second.rows.push_back(std::move(ceiling));
        return Status();
      });
}

Status read_choices(Connection& connection, Catalog& catalog) {
  return each_row(connection,
                  "SELECT " + fields::column_names<DefaultChoiceRecord>() +
                      " FROM choice"
                      " ORDER BY created_unix_ms DESC, no DESC",
                  [&](RowReader& row) {
                    DefaultChoiceRecord choice;
                    fields::read_columns(row, choice);
                    catalog.choices.push_back(std::move(choice));
                    return Status();
                  });
}

}  // namespace

Result<Catalog> read_catalog(Connection& connection) {
  Catalog catalog;
  for (const auto part :
       {read_runs, read_pieces, read_model_pieces, read_devices, read_environments, read_metrics, read_ceilings, read_choices}) {
    FL_TRY_VOID(part(connection, catalog));
  }
  return catalog;
}

Result<std::optional<TuningRecord>> read_tuning(Connection& connection, const EvidenceKey& key, const std::string& generation_key) {
  const bool knows_why = connection.integer("PRAGMA user_version") >= kSchemaOfDecisions;
  SQLite::Statement& query = connection.statement(
      std::string(
          "SELECT graph_key, device_id, environment_key, metric_key, generation_key, strategy, budget_seconds, budget_trials,"
          " trials, stopped, best_config, created_unix_ms, ") +
      (knows_why ? "decision" : "''") +
      " FROM tuning WHERE graph_key = ?1 AND device_id = ?2 AND metric_key = ?3 AND environment_key = ?4"
      " AND (generation_key = ?5 OR ?5 = '') ORDER BY created_unix_ms DESC LIMIT 1");
  RowBinder(query).text(key.piece).text(key.device).text(key.metric).text(key.environment).text(generation_key);
  if (!query.executeStep()) return std::optional<TuningRecord>();
  RowReader row(query);
  TuningRecord tuning;
  tuning.graph_key = row.text();
  tuning.device_id = row.text();
  tuning.environment_key = row.text();
  tuning.metric_key = row.text();
  tuning.generation_key = row.text();
  tuning.strategy = row.text();
  tuning.budget_seconds = row.real();
  tuning.budget_trials = row.small();
  tuning.trials = row.small();
  tuning.stopped = row.text();
  tuning.best_config = row.text();
  tuning.created_unix_ms = row.integer();
  // A damaged one is as good as none: the search has ended all the same, and `db verify` names it.
  if (!from_json(row.text(), tuning.decision).ok()) tuning.decision = {};
  return std::optional(std::move(tuning));
}

}  // namespace fuselab::db
