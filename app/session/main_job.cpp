// SPDX-License-Identifier: Apache-2.0
#include "app/session/main_job.h"

#include <algorithm>
#include <set>

#include "app/session/as_given.h"
#include "app/session/selected_devices.h"
#include "core/base/version.h"
#include "core/graph/graph_text.h"
#include "core/platform/clock.h"
#include "core/platform/machine.h"

namespace fuselab::session {
namespace {

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

std::string stored_name(const Workpiece& workpiece) {
  return stored_model(workpiece.subject.name, workpiece.subject.content);
}

}  // namespace

MainJob::MainJob(JobContext& context, std::vector<BackendReport> backends) : context_(context), backends_(std::move(backends)) {}

bool MainJob::ends_job(const Error& error) {
  return error.code == ErrorCode::kCancelled || error.code == ErrorCode::kIo || error.code == ErrorCode::kBusy ||
         error.code == ErrorCode::kCorrupt;
}

Status MainJob::run() {
  FL_TRY_VOID(prepare());
  Status const measured = measure();
  return measured.ok() ? measured : show_what_is_stored(measured);
}

Status MainJob::prepare() {
  FL_TRY_VOID(cut_subjects());
  FL_TRY_VOID(open_benches());
  FL_TRY_VOID(give_config());
  return store_subjects();
}

Status MainJob::measure() {
  FL_TRY_VOID(publish_tables());
  FL_TRY_VOID(bench_everything());
  FL_TRY_VOID(publish_tables());
  if (context_.spec.verb != JobSpec::Verb::kBench) {
    FL_TRY_VOID(tune_by_worth());
    FL_TRY_VOID(publish_tables());
    FL_TRY_VOID(bench_disturbed_again());
    if (context_.spec.cold) FL_TRY_VOID(bench_cold());
  }
  if (!is_given() && context_.spec.hold_plans) FL_TRY_VOID(decide_gains());
  FL_TRY_VOID(publish_tables());
  if (!is_given()) FL_TRY_VOID(store_choices());
  report("done", "", 1, 0.0);
  return {};
}

// What ends a job early ends it after a block was stored that no table has shown yet.
Status MainJob::show_what_is_stored(const Status& ended) {
  Status stored;
  for (auto const& bench : benches_) {
    Status const settled = bench->desk().settle();
    if (stored.ok()) stored = settled;
  }
  EvidenceReader evidence = context_.evidence.after_stop();
  Status const shown = publish_tables(evidence);
  if (stored.ok() && !shown.ok())
    context_.events.push(
        LogLine{LogLine::Level::kWarning, "what was measured last is stored and not shown: " + shown.error().message});
  bool const cancelled = ended.error().code == ErrorCode::kCancelled;
  return cancelled && !stored.ok() ? stored : ended;
}

Status MainJob::cut_subjects() {
  report("importing", "", 0, std::nullopt);
  FL_TRY(DType const dtype, parse_element_type(context_.spec.dtype));
  FL_TRY(OptimizationLevel const level, parse_optimization_level(context_.spec.level));
  FL_TRY(auto const devices, select_devices(backends_, context_.spec.devices, context_.config.synthetic));
  std::vector<BackendLimits> const asked = limits_of(backends_, devices);
  std::vector<std::string> const names = context_.spec.subjects.empty() ? default_subjects() : context_.spec.subjects;
  FL_TRY(auto const bindings, shape_of_each(names, context_.spec.bindings));
  for (std::size_t index = 0; index < names.size(); ++index) {
    FL_TRY(auto subjects, resolve_subject(context_.config, names[index], bindings[index], dtype));
    for (Subject& subject : subjects) {
      bool const own_types = subject.dtype.empty() && context_.spec.dtype != JobSpec().dtype;
      if (own_types) subject.notes.push_back("keeps its own element types; --dtype is for built-in workloads");
      for (const std::string& note : subject.notes)
        context_.events.push(LogLine{LogLine::Level::kInfo, subject.name + ": " + note});
      bool const whole = !context_.spec.config.values().empty();
      FL_TRY(Workpiece workpiece, whole ? keep_whole(std::move(subject), level) : cut(std::move(subject), level, asked));
      workpieces_.push_back(std::move(workpiece));
    }
  }
  return name_models();
}

// Two files of the same name are told apart, in this job and from what is stored.
Status MainJob::name_models() {
  FL_TRY(Catalog const catalog, context_.queries.catalog());
  names_ = ModelNames(catalog);
  for (const Workpiece& workpiece : workpieces_) names_.add(stored_name(workpiece));
  return {};
}

// A kernel that somebody names is measured, and chosen for nothing.
bool MainJob::is_given() const {
  return !context_.spec.config.values().empty() || !context_.spec.target.empty();
}

Status MainJob::give_config() {
  if (context_.spec.config.values().empty()) return {};
  for (const Workpiece& workpiece : workpieces_) {
    for (const Piece& piece : workpiece.pieces) {
      for (auto const& bench : benches_) FL_TRY_VOID(bench->give_config(piece, context_.spec.config));
    }
  }
  return {};
}

Status MainJob::open_benches() {
  FL_TRY(auto const devices, select_devices(backends_, context_.spec.devices, context_.config.synthetic));
  auto const machine = platform::machine_facts();
  // What is to be known of a stack that is usable: that it has no compiler, and what it has instead.
  for (const BackendReport& backend : backends_) {
    bool const asked =
        std::any_of(devices.begin(), devices.end(), [&](const DeviceInfo& each) { return each.backend == backend.id; });
    const std::string& note = backend.availability.reason;
    if (asked && !note.empty()) context_.events.push(LogLine{LogLine::Level::kInfo, backend.id + ": " + note});
  }
  StoreBatch batch;
  for (const DeviceInfo& device : devices) {
    auto const environment = platform::environment_identity(machine, device, std::string(tool_version()));
    batch.devices.push_back(device);
    batch.environments.push_back(environment);
    FL_TRY(DeviceInfo aimed, on_target(device, context_.spec.target));
    benches_.push_back(std::make_unique<DeviceBench>(context_, std::move(aimed), environment));
  }
  return context_.store.commit(batch);
}

Status MainJob::store_subjects() {
  StoreBatch batch;
  for (const Workpiece& workpiece : workpieces_) {
    int position = 0;
    bool const whole = !context_.spec.config.values().empty();  // says nothing of how the model is cut
    for (const Piece& piece : workpiece.pieces) {
      batch.pieces.push_back({piece.key, canonical_text(piece.operation.graph), piece.operation.name,
                              std::string(name_of(piece.operation.pattern)), piece.operation.cost});
      for (std::size_t index = 0; index < piece.operator_graphs.size() && !piece.is_single(); ++index) {
        const Graph& graph = piece.operator_graphs[index];
        FL_TRY(Cost const cost, cost_of(graph));
        const Node& node = piece.operation.graph.node(piece.operators[index].front());
        batch.pieces.push_back({graph_key(graph).hex(), canonical_text(graph), std::string(name_of(node.op)), "Single", cost});
      }
      if (whole) continue;
      batch.model_pieces.push_back({context_.run_id, stored_name(workpiece), workpiece.subject.binding, piece.key,
                                    piece.operation.name, position++, piece.operation.count, piece.not_measured, workpiece.level,
                                    workpiece.subject.dtype});
    }
  }
  return context_.store.commit(batch);
}

Status MainJob::for_each_cell(const std::string& phase, const std::function<Status(const Piece&, DeviceBench&)>& visit) {
  std::size_t total = 0, done = 0;
  for (const Workpiece& workpiece : workpieces_) total += workpiece.pieces.size() * benches_.size();
  auto const start = std::chrono::steady_clock::now();
  double const paused_before = context_.gate.paused_seconds();
  auto shown = start;
  for (const Workpiece& workpiece : workpieces_) {
    for (const Piece& piece : workpiece.pieces) {
      for (auto const& bench : benches_) {
        std::optional<double> left;
        double const spent = seconds_since(start) - (context_.gate.paused_seconds() - paused_before);
        if (done > 0) left = spent / static_cast<double>(done) * static_cast<double>(total - done);
        report(phase, names_.shown(stored_name(workpiece)) + ": " + piece.operation.name + " on " + bench->device().id,
               static_cast<double>(done) / static_cast<double>(total), left);
        ++done;
        if (!piece.not_measured.empty()) continue;
        Status const visited = visit(piece, *bench);
        if (!visited.ok() && ends_job(visited.error())) return visited;
        if (!visited.ok())
          context_.events.push(
              LogLine{LogLine::Level::kWarning, phase + " " + piece.operation.name + ": " + visited.error().message});
      }
      if (seconds_since(shown) < 2) continue;
      FL_TRY_VOID(publish_tables());
      shown = std::chrono::steady_clock::now();
    }
  }
  return {};
}

Status MainJob::bench_everything() {
  bool const as_given = !context_.spec.config.values().empty();
  return for_each_cell("measuring", [as_given](const Piece& piece, DeviceBench& bench) {
    return as_given ? bench.bench_as_given(piece) : bench.bench(piece);
  });
}

// Later, since what disturbs often passes; once, since some machines are never quiet.
Status MainJob::bench_disturbed_again() {
  return for_each_cell("measuring again",
                       [](const Piece& piece, DeviceBench& bench) { return bench.bench_disturbed_again(piece); });
}

Status MainJob::bench_cold() {
  return for_each_cell("measuring cold", [](const Piece& piece, DeviceBench& bench) { return bench.bench_cold(piece); });
}

// Last, of the plans that stand by then; without it a gain stands on one process, and the next one may say something else.
Status MainJob::decide_gains() {
  FL_TRY_VOID(
      for_each_cell("fused against unfused", [](const Piece& piece, DeviceBench& bench) { return bench.decide_gain(piece); }));
  int undecided = 0;
  for (auto const& bench : benches_) undecided += bench->undecided_gains();
  if (undecided == 0) return {};
  context_.events.push(LogLine{LogLine::Level::kWarning,
                               std::to_string(undecided) + (undecided == 1 ? " gain stands" : " gains stand") +
                                   " on one process each, since the machine was not fit to compare on; the same command tries "
                                   "that again"});
  return {};
}

Status MainJob::store_choices() {
  StoreBatch batch;
  for (const CompareTable& table : tables_) {
    for (const CompareRow& row : table.rows) {
      auto const cell = std::find_if(row.cells.begin(), row.cells.end(),
                                     [&](const CompareCell& candidate) { return candidate.device_id == row.recommended_device; });
      if (cell == row.cells.end()) continue;
      const Cell& chosen = row.recommended_plan == PlanKind::kFused ? cell->fused : cell->unfused;
      if (!chosen.figure) continue;
      auto const bench = std::find_if(benches_.begin(), benches_.end(),
                                      [&](auto const& candidate) { return candidate->device().id == cell->device_id; });
      batch.choices.push_back({row.piece_key, (*bench)->desk().environment_key(), cell->device_id, chosen.figure->trial_id,
                               row.reason, platform::unix_milliseconds()});
    }
  }
  return context_.store.commit(batch);
}

std::vector<ComparedDevice> MainJob::compared_devices() const {
  std::vector<ComparedDevice> devices;
  for (auto const& bench : benches_)
    devices.push_back({bench->device(), bench->desk().environment_key(), bench->calibration().table()});
  return devices;
}

Status MainJob::publish_tables() {
  return publish_tables(context_.evidence);
}

Status MainJob::publish_tables(EvidenceReader& evidence) {
  Failures failures;
  for (auto const& bench : benches_) {
    for (auto const& [piece, reason] : bench->failures()) failures[{piece, bench->device().id}] = reason;
  }
  std::vector<CompareTable> tables;
  for (const Workpiece& workpiece : workpieces_) {
    FL_TRY(CompareTable table,
           build_compare_table(workpiece, compared_devices(), context_.spec.protocol, evidence, failures, context_.spec.accepted));
    table.model = names_.shown(table.model);
    context_.events.push(TableChanged{table});
    tables.push_back(std::move(table));
  }
  tables_ = std::move(tables);
  return {};
}

JobProgress MainJob::counts() const {
  JobProgress progress;
  for (auto const& bench : benches_) {
    progress.trials += bench->desk().measured();
    progress.reused += bench->desk().reused();
    progress.failed += bench->desk().failed();
    progress.calibrating_seconds += bench->calibration().seconds();
    progress.deciding_seconds += bench->desk().deciding_seconds();
  }
  return progress;
}

void MainJob::report(const std::string& phase, const std::string& activity, double done, std::optional<double> seconds_left,
                     const std::string& detail) {
  JobProgress progress = counts();
  progress.state = JobState::kRunning;
  progress.phase = phase;
  progress.activity = activity;
  progress.detail = detail;
  progress.done = done;
  progress.seconds_left = seconds_left;
  context_.events.push(std::move(progress));
}

}  // namespace fuselab::session
