// SPDX-License-Identifier: Apache-2.0
#include "db/rows/small_tables.h"

#include "core/fields/columns.h"
#include "db/connection/row_io.h"
#include "db/rows/json_columns.h"
#include "db/rows/piece_conflict.h"

namespace fuselab::db {
namespace {

// Seeds use all 64 bits; SQLite's integers are signed.
std::int64_t stored_seed(std::uint64_t seed) {
  return static_cast<std::int64_t>(seed);
}

}  // namespace

void put(Connection& connection, const RunRecord& run, const RowOrigin& origin) {
  const std::string& host = run.host.empty() ? origin.host : run.host;
  SQLite::Statement& insert = connection.statement(
      "INSERT INTO run (id, verb, command, tool_version, state, started_unix_ms, finished_unix_ms, host, origin)"
      " VALUES (?,?,?,?,?,?,?,?,?)"
      " ON CONFLICT (id) DO UPDATE SET state = excluded.state, finished_unix_ms = excluded.finished_unix_ms");
  RowBinder row(insert);
  row.text(run.id).text(run.verb).text(run.command).text(run.tool_version).text(run.state).integer(run.started_unix_ms);
  row.integer(run.finished_unix_ms).text(host).text(origin.origin);
  insert.exec();
}

void put(Connection& connection, std::int64_t run, const RunMarks& marks, const RowOrigin& origin) {
  if (marks == RunMarks()) {
    SQLite::Statement& clear = connection.statement("DELETE FROM run_mark WHERE run = ?");
    RowBinder(clear).integer(run);
    clear.exec();
    return;
  }
  const std::string tags = to_json(marks.tags);
  SQLite::Statement& insert =
      connection.statement("INSERT OR REPLACE INTO run_mark (run, name, tags, note, pinned, host, origin) VALUES (?,?,?,?,?,?,?)");
  RowBinder row(insert);
  row.integer(run).text(marks.name).text(tags).text(marks.note).integer(marks.pinned).text(origin.host).text(origin.origin);
  insert.exec();
}

void put(Connection& connection, const PieceRecord& piece, const RowOrigin& origin) {
  static const std::string sql =
      "INSERT INTO piece (key, canonical_text, name, pattern, read_bytes, written_bytes, eager_read_bytes, eager_written_bytes,"
      " flops, host, origin) VALUES (?,?,?,?,?,?,?,?,?,?,?)" +
      std::string(kOnKnownPiece);
  SQLite::Statement& insert = connection.statement(sql);
  RowBinder row(insert);
  row.text(piece.key).text(piece.canonical_text).text(piece.name).text(piece.pattern).integer(piece.cost.read.count);
  row.integer(piece.cost.written.count).integer(piece.cost.eager_read.count).integer(piece.cost.eager_written.count);
  row.real(piece.cost.flops).text(origin.host).text(origin.origin);
  insert.exec();
}

void put(Connection& connection, const DeviceInfo& device, const RowOrigin& origin) {
  const std::string properties = to_json(device.properties), target = to_json(device.target);
  const std::string others = to_json(device.other_targets);
  SQLite::Statement& insert = connection.statement(
      "INSERT INTO device (id, uuid, backend, type, position, name, synthetic, unified_memory, total_memory_bytes, "
      "free_memory_bytes,"
      " compute_units, compute_capability, driver_version, properties, target, other_targets, host, origin)"
      " VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)"
      " ON CONFLICT (id, uuid) DO UPDATE SET backend = excluded.backend, type = excluded.type, position = excluded.position,"
      " name = excluded.name, synthetic = excluded.synthetic, unified_memory = excluded.unified_memory,"
      " total_memory_bytes = excluded.total_memory_bytes, free_memory_bytes = excluded.free_memory_bytes,"
      " compute_units = excluded.compute_units, compute_capability = excluded.compute_capability,"
      " driver_version = excluded.driver_version, properties = excluded.properties, target = excluded.target,"
      " other_targets = excluded.other_targets, host = excluded.host, origin = excluded.origin");
  RowBinder row(insert);
  row.text(device.id).text(device.uuid).text(device.backend).text(device.type).integer(device.index).text(device.name);
  row.integer(device.synthetic).integer(device.unified_memory).maybe(device.total_memory_bytes).maybe(device.free_memory_bytes);
  row.maybe(device.compute_units).maybe(device.compute_capability).maybe(device.driver_version).text(properties).text(target);
  row.text(others).text(origin.host).text(origin.origin);
  insert.exec();
}

void put(Connection& connection, const EnvironmentIdentity& environment, const RowOrigin& origin) {
  const std::string key = environment.key().hex();
  SQLite::Statement& insert = connection.statement(
      "INSERT INTO environment (key, host, device_uuid, driver, cpu_model, microcode, os_kernel, clock_policy, tool_version, "
      "origin)"
      " VALUES (?,?,?,?,?,?,?,?,?,?) ON CONFLICT (key) DO NOTHING");
  RowBinder row(insert);
  row.text(key).text(environment.host).text(environment.device_uuid).text(environment.driver).text(environment.cpu_model);
  row.text(environment.microcode).text(environment.os_kernel).text(environment.clock_policy).text(environment.tool_version);
  row.text(origin.origin);
  insert.exec();
}

void put(Connection& connection, const MetricIdentity& metric, const RowOrigin& origin) {
  const std::string key = metric.key().hex();
  SQLite::Statement& insert = connection.statement(
      "INSERT INTO metric (key, mode, what, threads, input_pattern, input_seed, protocol_version, detail, host, origin)"
      " VALUES (?,?,?,?,?,?,?,?,?,?) ON CONFLICT (key) DO NOTHING");
  RowBinder row(insert);
  row.text(key).name(name_of(metric.mode)).text(metric.what).integer(metric.threads).name(name_of(metric.inputs.pattern));
  row.integer(stored_seed(metric.inputs.seed)).integer(metric.protocol_version).text(metric.detail).text(origin.host);
  row.text(origin.origin);
  insert.exec();
}

void put(Connection& connection, const TuningRecord& tuning, const RowOrigin& origin) {
  const std::string decision = to_json(tuning.decision);
  SQLite::Statement& insert = connection.statement(
      "INSERT OR REPLACE INTO tuning (graph_key, device_id, metric_key, environment_key, generation_key, strategy, budget_seconds,"
      " budget_trials, trials, stopped, best_config, created_unix_ms, decision, host, origin)"
      " VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)");
  RowBinder row(insert);
  row.text(tuning.graph_key)
      .text(tuning.device_id)
      .text(tuning.metric_key)
      .text(tuning.environment_key)
      .text(tuning.generation_key);
  row.text(tuning.strategy).real(tuning.budget_seconds).integer(tuning.budget_trials).integer(tuning.trials).text(tuning.stopped);
  row.text(tuning.best_config).integer(tuning.created_unix_ms).text(decision).text(origin.host).text(origin.origin);
  insert.exec();
}

void put(Connection& connection, const DefaultChoiceRecord& choice, const RowOrigin& origin) {
  SQLite::Statement& insert =
      connection.statement("INSERT INTO choice (" + fields::column_names<DefaultChoiceRecord>() + ", host, origin) VALUES (" +
                           fields::column_parameters<DefaultChoiceRecord>() + ",?,?) ON CONFLICT DO NOTHING");
  RowBinder row(insert);
  fields::bind_columns(row, choice);
  row.text(origin.host).text(origin.origin);
  insert.exec();
}

void put(Connection& connection, std::int64_t run, const ModelPieceRecord& piece, const RowOrigin& origin) {
  SQLite::Statement& insert = connection.statement(
      "INSERT OR REPLACE INTO model_piece (run, model, binding, position, piece_key, name, count, reason, level, dtype, host,"
      " origin) VALUES (?,?,?,?,?,?,?,?,?,?,?,?)");
  RowBinder row(insert);
  row.integer(run).text(piece.model).text(piece.binding).integer(piece.position).text(piece.piece_key).text(piece.name);
  row.integer(piece.count).text(piece.reason).text(piece.level).text(piece.dtype).text(origin.host).text(origin.origin);
  insert.exec();
}

void put(Connection& connection, std::int64_t environment, const CeilingTable& table, const RowOrigin& origin) {
  SQLite::Statement& remove = connection.statement("DELETE FROM ceiling WHERE environment = ?");
  RowBinder(remove).integer(environment);
  remove.exec();
  std::int64_t position = 0;
  for (const Ceiling& ceiling : table.rows) {
    SQLite::Statement& insert = connection.statement(
        "INSERT INTO ceiling (environment, position, kind, read_streams, write_streams, nontemporal, footprint_bytes, threads,"
        " per_second, low, high, form, host, origin) VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?)");
    RowBinder row(insert);
    row.integer(environment).integer(position++).text(ceiling.kind).integer(ceiling.read_streams).integer(ceiling.write_streams);
    row.integer(ceiling.nontemporal).integer(ceiling.footprint.count).integer(ceiling.threads).real(ceiling.per_second);
    row.real(ceiling.low).real(ceiling.high).text(ceiling.form).text(origin.host).text(origin.origin);
    insert.exec();
  }
}

}  // namespace fuselab::db
