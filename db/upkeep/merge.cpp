// SPDX-License-Identifier: Apache-2.0
#include "db/connection/migrations.h"
#include "db/connection/opening.h"
#include "db/connection/row_io.h"
#include "db/connection/sql_error.h"
#include "db/rows/gain_rows.h"
#include "db/rows/piece_conflict.h"
#include "db/rows/profile_rows.h"
#include "db/upkeep/maintenance.h"

namespace fuselab::db {
namespace {

// Copies what is not here yet, by ids and keys; the private numbers are looked up anew. Order: what is referred to, first.
const char* const kMerge[] = {
    "INSERT INTO main.word (text) SELECT text FROM other.word WHERE true ON CONFLICT DO NOTHING",
    "INSERT INTO main.run (id, verb, command, tool_version, state, started_unix_ms, finished_unix_ms, host, origin)"
    " SELECT id, verb, command, tool_version, state, started_unix_ms, finished_unix_ms, host, 'merged' FROM other.run WHERE true"
    " ON CONFLICT DO NOTHING",
    "INSERT INTO main.device (id, uuid, backend, type, position, name, synthetic, unified_memory, total_memory_bytes,"
    " free_memory_bytes, compute_units, compute_capability, driver_version, properties, target, other_targets, host, origin)"
    " SELECT id, uuid, backend, type, position, name, synthetic, unified_memory, total_memory_bytes, free_memory_bytes, "
    "compute_units,"
    " compute_capability, driver_version, properties, target, other_targets, host, 'merged' FROM other.device WHERE true"
    " ON CONFLICT DO NOTHING",
    "INSERT INTO main.environment (key, host, device_uuid, driver, cpu_model, microcode, os_kernel, clock_policy, tool_version, "
    "origin)"
    " SELECT key, host, device_uuid, driver, cpu_model, microcode, os_kernel, clock_policy, tool_version, 'merged'"
    " FROM other.environment WHERE true ON CONFLICT DO NOTHING",
    "INSERT INTO main.metric (key, mode, what, threads, input_pattern, input_seed, protocol_version, detail, host, origin)"
    " SELECT key, mode, what, threads, input_pattern, input_seed, protocol_version, detail, host, 'merged' FROM other.metric WHERE "
    "true"
    " ON CONFLICT DO NOTHING",
    "INSERT INTO main.source (hash, bytes, text, host, origin) SELECT hash, bytes, text, host, 'merged' FROM other.source WHERE "
    "true"
    " ON CONFLICT DO NOTHING",
    "INSERT INTO main.choice (piece_key, environment_key, device_id, trial_id, reason, created_unix_ms, host, origin)"
    " SELECT piece_key, environment_key, device_id, trial_id, reason, created_unix_ms, host, 'merged' FROM other.choice WHERE true"
    " ON CONFLICT DO NOTHING",
    "INSERT INTO main.trial (id, run, piece, metric, environment, device, backend, process, block, host, origin, kind, outcome,"
    " synthetic, retimed, created_unix_ms, speed_rank, median_ns, low_ns, high_ns, config, reason, plan_key, kernel_keys, verified,"
    " outputs_checked, max_error, mean_error, worst_ratio, verification_detail, inner_repetitions, first_launch_ns, compile_ns,"
    " overhead_ns, timing_source, sample_count, samples)"
    " SELECT t.id, r.no, p.no, m.no, e.no, wd.no, wb.no, wp.no, wg.no, wh.no, 'merged', t.kind, t.outcome, t.synthetic, t.retimed,"
    " t.created_unix_ms, t.speed_rank, t.median_ns, t.low_ns, t.high_ns, t.config, t.reason, t.plan_key, t.kernel_keys, t.verified,"
    " t.outputs_checked, t.max_error, t.mean_error, t.worst_ratio, t.verification_detail, t.inner_repetitions, t.first_launch_ns,"
    " t.compile_ns, t.overhead_ns, t.timing_source, t.sample_count, t.samples FROM other.trial t"
    " JOIN other.run rr ON rr.no = t.run JOIN main.run r ON r.id = rr.id"
    " JOIN other.piece pp ON pp.no = t.piece JOIN main.piece p ON p.key = pp.key"
    " JOIN other.metric mm ON mm.no = t.metric JOIN main.metric m ON m.key = mm.key"
    " JOIN other.environment ee ON ee.no = t.environment JOIN main.environment e ON e.key = ee.key"
    " JOIN other.word od ON od.no = t.device JOIN main.word wd ON wd.text = od.text"
    " JOIN other.word ob ON ob.no = t.backend JOIN main.word wb ON wb.text = ob.text"
    " JOIN other.word op ON op.no = t.process JOIN main.word wp ON wp.text = op.text"
    " JOIN other.word og ON og.no = t.block JOIN main.word wg ON wg.text = og.text"
    " JOIN other.word oh ON oh.no = t.host JOIN main.word wh ON wh.text = oh.text"
    " WHERE NOT EXISTS (SELECT 1 FROM main.trial here WHERE here.id = t.id) ORDER BY t.sequence",
};

// A table is one measurement: ours is not mixed with rows of theirs. Before forms were stored there is none.
std::string merge_ceilings(int schema_of_other) {
  return std::string(
             "INSERT INTO main.ceiling (environment, position, kind, read_streams, write_streams, nontemporal, footprint_bytes,"
             " threads, per_second, low, high, host, form, origin) SELECT mine.no, c.position, c.kind, c.read_streams,"
             " c.write_streams, c.nontemporal, c.footprint_bytes, c.threads, c.per_second, c.low, c.high, c.host, ") +
         (schema_of_other >= kSchemaOfPairedCeilings ? "c.form" : "''") +
         ", 'merged' FROM other.ceiling c JOIN other.environment theirs ON theirs.no = c.environment"
         " JOIN main.environment mine ON mine.key = theirs.key"
         " WHERE NOT EXISTS (SELECT 1 FROM main.ceiling here WHERE here.environment = mine.no)";
}

// Kernels with who vouches for their sources, also from a file of before anybody did.
std::string merge_kernels(int schema_of_other) {
  return std::string(
             "INSERT INTO main.kernel (key, graph, backend, generator, generator_version, source, target, compiler, "
             "compiler_version,"
             " flags, library, library_version, config, launch_config, source_hash, source_module, abi, resources, generate_ns,"
             " compile_ns, binary_bytes, level, host, signer, signature, origin) SELECT key, graph, backend, generator,"
             " generator_version, source, target, compiler, compiler_version, flags, library, library_version, config, "
             "launch_config,"
             " source_hash, source_module, abi, resources, generate_ns, compile_ns, binary_bytes, level, host, ") +
         (schema_of_other >= kSchemaOfVouchers ? "signer, signature" : "'', x''") +
         ", 'merged' FROM other.kernel WHERE true ON CONFLICT DO NOTHING";
}

// A binary goes with the records it was signed with; where ours differ, its signature would not fit.
const char* const kMergeBinaries =
    "INSERT INTO main.kernel_binary (kernel, format, metadata, hash, bytes, data, signer, signature, host, origin)"
    " SELECT mine.no, b.format, b.metadata, b.hash, b.bytes, b.data, b.signer, b.signature, b.host, 'merged'"
    " FROM other.kernel_binary b JOIN other.kernel theirs ON theirs.no = b.kernel"
    " JOIN main.kernel mine ON mine.key = theirs.key AND mine.abi = theirs.abi"
    " AND mine.source_module = theirs.source_module AND mine.resources = theirs.resources WHERE true ON CONFLICT DO NOTHING";

// Copies the conditions of blocks whose trials were copied before.
std::string merge_conditions(int schema_of_other) {
  return std::string(
             "INSERT INTO main.block_conditions (block, wall_s, threads, steal_s, throttled_s, involuntary_switches, waited_s, "
             "load,"
             " runnable, clock_mhz, timing_source, timer_overhead_ns, timer_resolution_ns, timer_timings, sensor_readings,"
             " throttle_reasons, core_mhz_low, core_mhz_high, memory_mhz_low, celsius_high, watts_high, driver, sensors_unknown,"
             " host, ceiling, origin)"
             " SELECT mine.no, c.wall_s, c.threads, c.steal_s, c.throttled_s, c.involuntary_switches, c.waited_s, c.load, "
             "c.runnable,"
             " c.clock_mhz, c.timing_source, c.timer_overhead_ns, c.timer_resolution_ns, c.timer_timings, c.sensor_readings,"
             " c.throttle_reasons, c.core_mhz_low, c.core_mhz_high, c.memory_mhz_low, c.celsius_high, c.watts_high, c.driver,"
             " c.sensors_unknown, c.host, ") +
         (schema_of_other >= kSchemaOfPairedCeilings ? "c.ceiling" : "''") +
         ", 'merged' FROM other.block_conditions c JOIN other.word theirs ON theirs.no = c.block"
         " JOIN main.word mine ON mine.text = theirs.text WHERE true ON CONFLICT DO NOTHING";
}

// Pieces, which other rows refer to by their keys.
std::string merge_pieces() {
  return std::string(
             "INSERT INTO main.piece (key, canonical_text, name, pattern, read_bytes, written_bytes, eager_read_bytes,"
             " eager_written_bytes, flops, host, origin) SELECT key, canonical_text, name, pattern, read_bytes, written_bytes,"
             " eager_read_bytes, eager_written_bytes, flops, host, 'merged' FROM other.piece WHERE true") +
         kOnKnownPiece;
}

// Uses of pieces, also from a file of before they said at which level.
std::string merge_model_pieces(int schema_of_other) {
  const std::string question = schema_of_other >= kSchemaOfQuestions ? "q.level, q.dtype" : "'', ''";
  return "INSERT INTO main.model_piece (run, model, binding, position, piece_key, name, count, reason, level, dtype, host, origin)"
         " SELECT mine.no, q.model, q.binding, q.position, q.piece_key, q.name, q.count, q.reason, " +
         question +
         ", q.host, 'merged' FROM other.model_piece q JOIN other.run theirs ON theirs.no = q.run"
         " JOIN main.run mine ON mine.id = theirs.id WHERE true ON CONFLICT DO NOTHING";
}

// Ends of searches, also from a file of before they said why they chose.
std::string merge_tunings(int schema_of_other) {
  return std::string(
             "INSERT INTO main.tuning (graph_key, device_id, metric_key, environment_key, generation_key, strategy, budget_seconds,"
             " budget_trials, trials, stopped, best_config, created_unix_ms, decision, host, origin) SELECT graph_key, device_id,"
             " metric_key, environment_key, generation_key, strategy, budget_seconds, budget_trials, trials, stopped, best_config,"
             " created_unix_ms, ") +
         (schema_of_other >= kSchemaOfDecisions ? "decision" : "''") +
         ", host, 'merged' FROM other.tuning WHERE true ON CONFLICT DO NOTHING";
}

// Marks of runs that have none here. A pin is not copied: a file keeps its own baselines.
const char* const kMergeRunMarks =
    "INSERT INTO main.run_mark (run, name, tags, note, pinned, host, origin)"
    " SELECT mine.no, m.name, m.tags, m.note, 0, m.host, 'merged' FROM other.run_mark m JOIN other.run theirs ON theirs.no = m.run"
    " JOIN main.run mine ON mine.id = theirs.id WHERE m.name <> '' OR m.tags <> '[]' OR m.note <> '' ON CONFLICT DO NOTHING";

// Detaches whatever happens, so that the next merge finds the name free.
class Attached {
 public:
  Attached(Connection& connection, const std::filesystem::path& path) : connection_(connection) {
    const std::string uri = file_uri(path, "mode=ro");
    SQLite::Statement attach(connection.raw(), "ATTACH ? AS other");
    RowBinder(attach).text(uri);
    attach.exec();
  }
  ~Attached() {
    connection_.reset_statements();
    connection_.raw().tryExec("DETACH other");
  }
  Attached(const Attached&) = delete;
  Attached& operator=(const Attached&) = delete;

 private:
  Connection& connection_;
};

Error unsound(const std::filesystem::path& other, const std::string& first, std::size_t problems) {
  const std::string more = std::to_string(problems - 1) + " more, see `fuselab db verify --db " + other.string() + "`";
  return {ErrorCode::kCorrupt, other.string() + ": nothing was merged, for it is damaged or was edited: " + first +
                                   (problems > 1 ? " (and " + more + ")" : "")};
}

// Keys stand for what was hashed into them, so nothing is copied of a file whose keys, checksums or figures lie: the first row
// under a key stays.
Result<VerifyReport> check_sound(const std::filesystem::path& other, Trust& trust) {
  auto report = guarded(other, [&]() -> Result<VerifyReport> {
    FL_TRY(const auto connection, open_for_reading(other));
    const TransactionScope snapshot(*connection, TransactionScope::Kind::kRead);
    return verify_rows(*connection, trust);
  });
  if (!report.ok() && report.error().code != ErrorCode::kCorrupt) return report.error();
  if (!report.ok()) return unsound(other, report.error().message, 1);
  const auto& problems = report.value().problems;
  if (!problems.empty()) return unsound(other, problems.front(), problems.size());
  return report;
}

// It is not --db that names this file.
Error of_other(Error error) {
  const std::string hint = kChooseAnother;
  if (const auto at = error.message.find(hint); at != std::string::npos)
    error.message.replace(at, hint.size(), "give another FILE to merge");
  return error;
}

// The other file as it may be merged.
struct Examined {
  FileState state;
  VerifyReport report;
};
Result<Examined> examine(const std::filesystem::path& other, Trust& trust) {
  const auto state = inspect(other);
  if (!state.ok()) return of_other(state.error());
  std::error_code ignored;
  if (state.value().fresh) {
    const bool there = std::filesystem::exists(other, ignored);
    return Error{ErrorCode::kNotFound, other.string() + (there ? ": no results there to merge" : ": there is no such database")};
  }
  auto sound = check_sound(other, trust);
  if (!sound.ok()) return of_other(sound.error());
  return Examined{state.value(), std::move(sound).value()};
}

}  // namespace

Status check_mergeable(const std::filesystem::path& other, Trust& trust) {
  const auto examined = examine(other, trust);
  return examined.ok() ? Status() : Status(examined.error());
}

Status merge_rows(Connection& connection, const std::filesystem::path& other, Trust& trust, MergeReport& merged) {
  FL_TRY(const Examined examined, examine(other, trust));
  const FileState& state = examined.state;
  const Attached attached(connection, other);
  TransactionScope transaction(connection, TransactionScope::Kind::kWrite);
  const RowCounts before = count_rows(connection);
  connection.raw().exec(merge_pieces());
  for (const char* sql : kMerge) connection.raw().exec(sql);
  connection.raw().exec(merge_ceilings(state.schema));
  connection.raw().exec(merge_kernels(state.schema));
  connection.raw().exec(kMergeBinaries);
  connection.raw().exec(merge_model_pieces(state.schema));
  if (state.schema >= kSchemaOfConditions) connection.raw().exec(merge_conditions(state.schema));
  connection.raw().exec(merge_tunings(state.schema));
  if (state.schema >= kSchemaOfGains) merge_gains(connection);
  if (state.schema >= kSchemaOfProfiles) merge_profiles(connection);
  if (state.schema >= kSchemaOfRunMarks) connection.raw().exec(kMergeRunMarks);
  merged.unvouched = examined.report.unvouched;
  merged.added = count_rows(connection);
  for (std::size_t table = 0; table < merged.added.size(); ++table) merged.added[table].second -= before[table].second;
  transaction.commit();
  return {};
}

}  // namespace fuselab::db
