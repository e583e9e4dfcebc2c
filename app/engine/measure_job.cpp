// SPDX-License-Identifier: Apache-2.0
#include "app/engine/measure_job.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "app/engine/subject/given_config.h"
#include "app/engine/workers/selected_devices.h"
#include "core/base/version.h"
#include "core/graph/graph_text.h"
#include "core/platform/machine/machine.h"
#include "core/platform/system/clock.h"

namespace fuselab::engine {
namespace {

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

std::string stored_name(const FusedModel& fused_model) {
  return stored_model(fused_model.subject.name, fused_model.subject.content);
}

}  // namespace

MeasureJob::MeasureJob(JobContext& context, std::vector<BackendReport> backends)
    : context_(context),
      backends_(std::move(backends)),
      budget_(context.spec.verb == JobSpec::Verb::kBench ? std::numeric_limits<double>::infinity() : context.spec.budget_seconds,
              [this] { return seconds_spent(); }) {}

double MeasureJob::seconds_spent() const {
  return seconds_since(started_) - context_.pause_point.paused_seconds() - (context_.workers.waited_seconds() - waited_before_);
}

bool MeasureJob::ends_job(const Error& error) {
  return error.code == ErrorCode::kCancelled || error.code == ErrorCode::kIo || error.code == ErrorCode::kBusy ||
         error.code == ErrorCode::kCorrupt;
}

Status MeasureJob::run() {
  FL_TRY_VOID(store_subjects());
  const Status measured = measure();
  return measured.ok() ? measured : show_what_is_stored(measured);
}

Status MeasureJob::prepare() {
  FL_TRY_VOID(cut_subjects());
  FL_TRY_VOID(open_tuners());
  return give_config();
}

Status MeasureJob::measure() {
  FL_TRY_VOID(publish_tables());
  if (!context_.spec.confirm_only.empty()) return confirm_what_stands();
  FL_TRY_VOID(measure_first_figures());
  FL_TRY_VOID(publish_tables());
  FL_TRY_VOID(measure_whole_models());
  const bool has_budget = context_.spec.verb != JobSpec::Verb::kBench;
  if (has_budget) {
    FL_TRY_VOID(tune_by_worth());
    FL_TRY_VOID(measure_disturbed_again());
    FL_TRY_VOID(publish_tables());
    FL_TRY_VOID(confirm_recommended());
  }
  if (!is_given() && context_.spec.decide_gains) FL_TRY_VOID(decide_gains());
  if (has_budget) FL_TRY_VOID(confirm_recommended());  // what the gains changed
  if (!is_given() && context_.spec.cold) FL_TRY_VOID(measure_cold());
  FL_TRY_VOID(publish_tables());
  if (has_budget) say_what_is_unconfirmed();
  if (!is_given()) FL_TRY_VOID(store_choices());
  report("done", "", 1, 0.0);
  return {};
}

// Whatever ends a job early may come after a block was stored that no table shows yet.
Status MeasureJob::show_what_is_stored(const Status& ended) {
  Status stored;
  for (const auto& tuner : tuners_) {
    const Status settled = tuner->measurer().settle();
    if (stored.ok()) stored = settled;
  }
  EvidenceReader evidence = context_.evidence.after_stop();
  const Status shown = publish_tables(evidence);
  if (stored.ok() && !shown.ok())
    context_.events.push(
        LogLine{LogLine::Level::kWarning, "what was measured last is stored and not shown: " + shown.error().message});
  const bool cancelled = ended.error().code == ErrorCode::kCancelled;
  return cancelled && !stored.ok() ? stored : ended;
}

Status MeasureJob::cut_subjects() {
  report("importing", "", 0, std::nullopt);
  FL_TRY(const DType dtype, parse_element_type(context_.spec.dtype));
  FL_TRY(const OptimizationLevel level, parse_optimization_level(context_.spec.level));
  FL_TRY(const auto devices, select_devices(backends_, context_.spec.devices, context_.config.synthetic));
  const std::vector<BackendLimits> asked = limits_of(backends_, devices);
  const std::vector<std::string> names = context_.spec.subjects.empty() ? default_subjects() : context_.spec.subjects;
  FL_TRY(const auto bindings, shape_of_each(names, context_.spec.bindings, context_.config.model_links));
  for (std::size_t index = 0; index < names.size(); ++index) {
    FL_TRY(auto subjects, resolve_subject(context_.config, names[index], bindings[index], dtype));
    for (Subject& subject : subjects) {
      const bool own_types = subject.dtype.empty() && context_.spec.dtype != JobSpec().dtype;
      if (own_types) subject.notes.push_back("keeps its own element types; --dtype is for built-in workloads");
      for (const std::string& note : subject.notes)
        context_.events.push(LogLine{LogLine::Level::kInfo, subject.name + ": " + note});
      const bool whole = !context_.spec.config.values().empty();
      const TraceScope traced(context_.config.trace, kJobTrack, "fuse " + subject.name, "fuse");
      FL_TRY(FusedModel fused_model, whole ? keep_whole(std::move(subject), level) : cut(std::move(subject), level, asked));
      fused_models_.push_back(std::move(fused_model));
    }
  }
  return name_models();
}

// Gives two files of the same name different names, in this job and among what is stored.
Status MeasureJob::name_models() {
  FL_TRY(const Catalog catalog, context_.queries.catalog());
  names_ = ModelNames(catalog);
  for (const FusedModel& fused_model : fused_models_) names_.add(stored_name(fused_model));
  return {};
}

// Returns whether the job measures a kernel that the user named; it is never chosen for anything.
bool MeasureJob::is_given() const {
  return !context_.spec.config.values().empty() || !context_.spec.target.empty();
}

Status MeasureJob::give_config() {
  if (context_.spec.config.values().empty()) return {};
  for (const FusedModel& fused_model : fused_models_) {
    for (const Piece& piece : fused_model.pieces) {
      for (const auto& tuner : tuners_) FL_TRY_VOID(tuner->give_config(piece, context_.spec.config));
    }
  }
  return {};
}

Status MeasureJob::open_tuners() {
  FL_TRY(const auto devices, select_devices(backends_, context_.spec.devices, context_.config.synthetic));
  for (const std::string& line : unusable_preferences(backends_, context_.spec.devices))
    context_.events.push(LogLine{LogLine::Level::kWarning, line});
  const auto machine = platform::machine_facts();
  // Reports remarks on stacks that are usable: that one has no compiler, say, and what it uses instead.
  for (const BackendReport& backend : backends_) {
    const bool asked =
        std::any_of(devices.begin(), devices.end(), [&](const DeviceInfo& each) { return each.backend == backend.id; });
    const std::string& note = backend.availability.reason;
    if (asked && !note.empty()) context_.events.push(LogLine{LogLine::Level::kInfo, backend.id + ": " + note});
  }
  StoreBatch batch;
  for (const DeviceInfo& device : devices) {
    const auto environment = platform::environment_identity(machine, device, std::string(tool_version()));
    batch.devices.push_back(device);
    batch.environments.push_back(environment);
    FL_TRY(DeviceInfo aimed, on_target(device, context_.spec.target));
    tuners_.push_back(std::make_unique<DeviceTuner>(context_, std::move(aimed), environment));
  }
  return context_.store.commit(batch);
}

Status MeasureJob::store_subjects() {
  StoreBatch batch;
  for (const FusedModel& fused_model : fused_models_) {
    int position = 0;
    // How a model is cut for one configuration, or for a confirmation, is no answer about the model.
    const bool is_answer = context_.spec.config.values().empty() && context_.spec.confirm_only.empty();
    const auto store_piece = [&](const Piece& piece, int at) -> Status {
      // The graph of a whole model may be an ordinary piece elsewhere, which has one record.
      const auto pattern = at == ModelPieceRecord::kWholeModel ? FusionPatternType::kMixed : piece.operation.pattern;
      batch.pieces.push_back({piece.key, canonical_text(piece.operation.graph), piece.operation.name, std::string(name_of(pattern)),
                              piece.operation.cost});
      for (std::size_t index = 0; index < piece.operator_graphs.size() && !piece.is_single(); ++index) {
        const Graph& graph = piece.operator_graphs[index];
        FL_TRY(const Cost cost, cost_of(graph));
        const Node& node = piece.operation.graph.node(piece.operators[index].front());
        batch.pieces.push_back({graph_key(graph).hex(), canonical_text(graph), std::string(name_of(node.op)), "Single", cost});
      }
      if (!is_answer) return {};
      batch.model_pieces.push_back({context_.run_id, stored_name(fused_model), fused_model.subject.binding, piece.key,
                                    piece.operation.name, at, piece.operation.count, piece.not_measured, fused_model.level,
                                    fused_model.subject.dtype});
      return {};
    };
    for (const Piece& piece : fused_model.pieces) FL_TRY_VOID(store_piece(piece, position++));
    const bool is_taken = std::any_of(tuners_.begin(), tuners_.end(), [&](const auto& tuner) { return takes_whole(*tuner); });
    if (fused_model.whole && is_taken) FL_TRY_VOID(store_piece(*fused_model.whole, ModelPieceRecord::kWholeModel));
  }
  return context_.store.commit(batch);
}

std::string MeasureJob::shown_model(std::size_t table) const {
  return names_.shown(stored_name(fused_models_[table]));
}

bool MeasureJob::takes_whole(const DeviceTuner& tuner) const {
  return !is_given() && context_.spec.whole_models && takes_whole_models(backends_, tuner.device()) == true;
}

// Costs one block per model and device. What a stack does not take is stored with its reason, as of a piece.
Status MeasureJob::measure_whole_models() {
  const double all = static_cast<double>(fused_models_.size() * tuners_.size());
  double done = 0;
  int left = 0;
  for (const FusedModel& fused_model : fused_models_) {
    if (!fused_model.whole || (!fused_model.whole->not_measured.empty() && !context_.spec.slow_whole_models)) continue;
    for (const auto& tuner : tuners_) {
      if (!takes_whole(*tuner)) continue;
      if (budget_.for_whole_models() <= 0) {
        ++left;
        continue;
      }
      const std::string what = names_.shown(stored_name(fused_model)) + " as a whole on " + tuner->device().id;
      report("measuring whole models", what, done++ / all, std::nullopt);
      const Status measured = tuner->measure(*fused_model.whole);
      if (!measured.ok() && ends_job(measured.error())) return measured;
      if (!measured.ok()) context_.events.push(LogLine{LogLine::Level::kWarning, what + ": " + measured.error().message});
    }
  }
  if (left > 0)
    say(LogLine::Level::kInfo, std::to_string(left) + (left == 1 ? " model was" : " models were") +
                                   " not measured as a whole, so that the budget also tunes and confirms; the same command goes "
                                   "on with that");
  return done > 0 ? publish_tables() : Status();
}

// A job that measures anew shows its own figures only; what is chosen rests on the strongest evidence there is.
Status MeasureJob::store_choices() {
  std::vector<CompareTable> tables = tables_;
  if (context_.spec.remeasure) {
    EvidenceReader evidence = context_.evidence.of_every_run();
    FL_TRY(tables, build_tables(evidence));
  }
  StoreBatch batch;
  for (const CompareTable& table : tables) {
    for (const CompareRow& row : table.rows) {
      const auto cell = std::find_if(row.cells.begin(), row.cells.end(),
                                     [&](const CompareCell& candidate) { return candidate.device_id == row.recommended_device; });
      if (cell == row.cells.end()) continue;
      const Cell& chosen = row.recommended_plan == PlanKind::kFused ? cell->fused : cell->unfused;
      if (!chosen.figure) continue;
      const auto tuner = std::find_if(tuners_.begin(), tuners_.end(),
                                      [&](const auto& candidate) { return candidate->device().id == cell->device_id; });
      batch.choices.push_back({row.piece_key, (*tuner)->measurer().environment_key(), cell->device_id, chosen.figure->trial_id,
                               row.reason, platform::unix_milliseconds()});
    }
  }
  return context_.store.commit(batch);
}

std::vector<ComparedDevice> MeasureJob::compared_devices() const {
  std::vector<ComparedDevice> devices;
  for (const auto& tuner : tuners_)
    devices.push_back({tuner->device(), tuner->measurer().environment_key(), tuner->calibration().table(),
                       preference_rank(context_.spec.devices.prefer, tuner->device().id, tuner->device().backend),
                       takes_whole(*tuner)});
  return devices;
}

Status MeasureJob::publish_tables() {
  return publish_tables(context_.evidence);
}

Status MeasureJob::publish_tables(EvidenceReader& evidence) {
  FL_TRY(tables_, build_tables(evidence));
  for (const CompareTable& table : tables_) context_.events.push(TableChanged{table});
  return {};
}

Result<std::vector<CompareTable>> MeasureJob::build_tables(EvidenceReader& evidence) const {
  Failures failures;
  for (const auto& tuner : tuners_) {
    for (const auto& [piece, reason] : tuner->failures()) failures[{piece, tuner->device().id}] = reason;
  }
  std::vector<CompareTable> tables;
  for (const FusedModel& fused_model : fused_models_) {
    FL_TRY(CompareTable table, build_compare_table(fused_model, compared_devices(), context_.spec.protocol, evidence, failures,
                                                   context_.spec.accepted));
    table.model = names_.shown(table.model);
    tables.push_back(std::move(table));
  }
  return tables;
}

JobProgress MeasureJob::counts() const {
  JobProgress progress;
  for (const auto& tuner : tuners_) {
    progress.trials += tuner->measurer().measured();
    progress.reused += tuner->measurer().reused();
    progress.failed += tuner->measurer().failed();
    progress.calibrating_seconds += tuner->calibration().seconds();
    progress.deciding_seconds += tuner->measurer().deciding_seconds();
  }
  return progress;
}

// A phase knows how long it goes on; what comes after it is bounded by the budget where there is one. Gains without a budget, and
// cold figures, are expected to take as long as the first figures did.
std::optional<double> MeasureJob::seconds_left_of_job(const std::string& phase, std::optional<double> of_phase) {
  const bool has_budget = std::isfinite(budget_.left());
  const bool is_first = phase == "measuring" || phase == "measuring whole models";
  const bool is_cold = phase == "measuring cold";
  if (phase == "measuring") first_figures_seconds_ = seconds_spent() + of_phase.value_or(0);
  if (is_first && !has_budget && !of_phase) return std::nullopt;
  double left = of_phase.value_or(0);
  const double budget_left = std::max(0.0, has_budget ? budget_.left() : 0.0);
  if (has_budget && is_first) left = std::max(left, budget_left);
  if (phase == "tuning") left += std::min(kept_seconds_, budget_left);
  if (has_budget && !is_first && !is_cold) left = std::max(left, std::min(kept_seconds_, budget_left));
  if (!has_budget && is_first && !is_given() && context_.spec.decide_gains) left += first_figures_seconds_;
  if (!is_cold && !is_given() && context_.spec.cold) left += first_figures_seconds_;
  return left > 0 || of_phase ? std::optional(left) : std::nullopt;
}

void MeasureJob::report(const std::string& phase, const std::string& activity, double done, std::optional<double> seconds_left,
                        const std::string& detail) {
  const double spent = seconds_spent();
  if (phase != "done") {
    seconds_left = seconds_left_of_job(phase, seconds_left);
    done = seconds_left ? spent / std::max(spent + *seconds_left, 1e-9) : told_done_;
  }
  told_done_ = std::max(told_done_, std::min(done, 1.0));  // a bar that runs back says nothing
  JobProgress progress = counts();
  progress.state = JobState::kRunning;
  progress.phase = phase;
  progress.activity = activity;
  progress.detail = detail;
  progress.done = told_done_;
  progress.seconds_left = seconds_left;
  context_.events.push(std::move(progress));
}

}  // namespace fuselab::engine
