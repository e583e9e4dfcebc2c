// SPDX-License-Identifier: Apache-2.0
#include "db/rows/trial_columns.h"

#include "db/connection/compression.h"
#include "db/connection/row_io.h"
#include "db/rows/enum_text.h"
#include "db/rows/json_columns.h"

namespace fuselab::db {
namespace {

const std::string kInsertTrial =
    "INSERT INTO trial (id, run, piece, metric, environment, device, backend, process, block, host, origin, kind, outcome, "
    "synthetic,"
    " retimed, created_unix_ms, speed_rank, median_ns, low_ns, high_ns, config, reason, plan_key, kernel_keys, verified,"
    " outputs_checked, max_error, mean_error, worst_ratio, verification_detail, inner_repetitions, first_launch_ns, compile_ns,"
    " overhead_ns, timing_source, sample_count, samples) VALUES "
    "(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,"
    "?,?,?)";

Status read_verification(RowReader& row, Verification& verification) {
  verification.passed = row.boolean();
  verification.checked = row.integer();
  verification.max_error = row.real_or_nan();
  verification.mean_error = row.real_or_nan();
  verification.worst_ratio = row.real_or_nan();
  verification.detail = row.text();
  return {};
}

Status read_timings(RowReader& row, TrialRecord& trial) {
  PlanResult& result = trial.result;
  result.inner_repetitions = row.small();
  result.first_launch = {row.real()};
  trial.compile_time = {row.real()};
  result.overhead = {row.real()};
  FL_TRY(result.source, parse_timing_source(row.text()));
  const std::int64_t count = row.integer();
  FL_TRY(result.samples, unpack_samples(row.blob(), count));
  return {};
}

}  // namespace

const std::string kSelectTrial =
    "SELECT t.id, r.id, p.key, m.key, e.key, d.text, b.text, w.text, g.text, t.origin, t.kind, t.outcome, t.synthetic, t.retimed,"
    " t.created_unix_ms, t.median_ns, t.low_ns, t.high_ns, t.config, t.reason, t.plan_key, t.kernel_keys, t.verified,"
    " t.outputs_checked, t.max_error, t.mean_error, t.worst_ratio, t.verification_detail, t.inner_repetitions, t.first_launch_ns,"
    " t.compile_ns, t.overhead_ns, t.timing_source, t.sample_count, t.samples"
    " FROM trial t JOIN run r ON r.no = t.run JOIN piece p ON p.no = t.piece JOIN metric m ON m.no = t.metric"
    " JOIN environment e ON e.no = t.environment JOIN word d ON d.no = t.device JOIN word b ON b.no = t.backend"
    " JOIN word w ON w.no = t.process JOIN word g ON g.no = t.block ";

const std::string kSelectTrialRow =
    "SELECT t.sequence, t.id, r.id, p.key, p.name, p.pattern, d.text, b.text, t.config, t.outcome, t.reason, t.kind, t.median_ns,"
    " t.low_ns, t.high_ns, t.retimed, t.synthetic, t.created_unix_ms, m.key, t.sample_count, t.samples"
    " FROM trial t JOIN run r ON r.no = t.run JOIN piece p ON p.no = t.piece JOIN word d ON d.no = t.device"
    " JOIN word b ON b.no = t.backend JOIN metric m ON m.no = t.metric ";

void insert_trial(Connection& connection, const TrialRecord& trial, const TrialReferences& references) {
  const PlanResult& result = trial.result;
  const bool ranked = result.outcome == Outcome::kTimed && trial.median_ns > 0;
  const std::string kernel_keys = to_json(trial.kernel_keys);
  const auto samples = pack_samples(result.samples);
  SQLite::Statement& insert = connection.statement(kInsertTrial);
  RowBinder row(insert);
  row.text(trial.id).integer(references.run).integer(references.piece).integer(references.metric).integer(references.environment);
  row.integer(references.device).integer(references.backend).integer(references.process).integer(references.block);
  row.integer(references.host).name(name_of(trial.origin)).name(fuselab::name_of(trial.kind));
  row.name(fuselab::name_of(result.outcome)).integer(trial.synthetic).integer(trial.retimed).integer(trial.created_unix_ms);
  row.real(ranked ? trial.median_ns : kUntimedRank).real(trial.median_ns).real(trial.low_ns).real(trial.high_ns);
  row.text(trial.config).text(result.reason).text(trial.plan_key).text(kernel_keys);
  row.integer(result.verification.passed).integer(result.verification.checked).real_or_nan(result.verification.max_error);
  row.real_or_nan(result.verification.mean_error).real_or_nan(result.verification.worst_ratio).text(result.verification.detail);
  row.integer(result.inner_repetitions).real(result.first_launch.count).real(trial.compile_time.count).real(result.overhead.count);
  row.name(fuselab::name_of(result.source)).integer(static_cast<std::int64_t>(result.samples.size())).blob(samples);
  insert.exec();
}

Result<TrialRecord> read_trial(SQLite::Statement& statement, TrialFigures* columns) {
  RowReader row(statement);
  TrialRecord trial;
  trial.id = row.text();
  trial.run_id = row.text();
  trial.piece_key = row.text();
  trial.metric_key = row.text();
  trial.environment_key = row.text();
  trial.device_id = row.text();
  trial.backend = row.text();
  trial.process_id = row.text();
  trial.block_id = row.text();
  FL_TRY(trial.origin, parse_origin(row.text()));
  FL_TRY(trial.kind, parse_plan_kind(row.text()));
  FL_TRY(trial.result.outcome, parse_outcome(row.text()));
  trial.synthetic = row.boolean();
  trial.retimed = row.boolean();
  trial.created_unix_ms = row.integer();
  trial.median_ns = row.real();
  trial.low_ns = row.real();
  trial.high_ns = row.real();
  trial.config = row.text();
  trial.result.reason = row.text();
  trial.plan_key = row.text();
  FL_TRY_VOID(from_json(row.text(), trial.kernel_keys));
  FL_TRY_VOID(read_verification(row, trial.result.verification));
  FL_TRY_VOID(read_timings(row, trial).ok() ? Status() : Status(Error{ErrorCode::kCorrupt, "trial " + trial.id + " is damaged"}));
  if (columns != nullptr) *columns = {trial.median_ns, trial.low_ns, trial.high_ns};
  // Another tool's log may have kept nothing but its medians.
  const bool only_columns = trial.result.samples.empty() && trial.origin == Origin::kImported;
  if (only_columns) return trial;
  if (has_figure(trial.result.outcome) && trial.result.samples.empty())
    return Error{ErrorCode::kCorrupt, "trial " + trial.id + " is damaged: it has a figure and no samples"};
  const TrialFigures figures = figures_of(trial.result.outcome, trial.result.samples);
  trial.median_ns = figures.median_ns;
  trial.low_ns = figures.low_ns;
  trial.high_ns = figures.high_ns;
  return trial;
}

Result<TrialRow> read_trial_row(SQLite::Statement& statement) {
  RowReader row(statement);
  TrialRow line;
  line.sequence = row.integer();
  line.id = row.text();
  line.run_id = row.text();
  line.piece_key = row.text();
  line.piece_name = row.text();
  line.pattern = row.text();
  line.device_id = row.text();
  line.backend = row.text();
  line.config = row.text();
  line.outcome = row.text();
  line.reason = row.text();
  FL_TRY(line.kind, parse_plan_kind(row.text()));
  line.median_ns = row.real();
  line.low_ns = row.real();
  line.high_ns = row.real();
  line.retimed = row.boolean();
  line.synthetic = row.boolean();
  line.created_unix_ms = row.integer();
  line.metric_key = row.text();
  const std::int64_t count = row.integer();
  if (count == 0) return line;
  // A damaged row is still a line of the table; whoever opens it is told.
  const auto outcome = parse_outcome(line.outcome);
  const auto samples = unpack_samples(row.blob(), count);
  if (!outcome.ok() || !samples.ok()) return line;
  const TrialFigures figures = figures_of(outcome.value(), samples.value());
  line.median_ns = figures.median_ns;
  line.low_ns = figures.low_ns;
  line.high_ns = figures.high_ns;
  return line;
}

}  // namespace fuselab::db
