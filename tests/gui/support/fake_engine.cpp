// SPDX-License-Identifier: Apache-2.0
#include "tests/gui/support/fake_engine.h"

#include <algorithm>
#include <map>
#include <thread>
#include <utility>

namespace fuselab::gui::test {

void JobScript::push(engine::Event event) {
  const std::lock_guard lock(mutex);
  if (const auto* progress = std::get_if<engine::JobProgress>(&event)) last_progress = *progress;
  events.push_back(std::move(event));
}

void JobScript::end(engine::JobState with) {
  state = with;
}

void FakeJob::pause() {
  ++script_->pauses;
  script_->state = engine::JobState::kPaused;
}

void FakeJob::resume() {
  ++script_->resumes;
  script_->state = engine::JobState::kRunning;
}

void FakeJob::cancel() {
  script_->cancelled_at = std::chrono::steady_clock::now();
  ++script_->cancels;
  script_->state = engine::JobState::kCancelled;
}

std::vector<engine::Event> FakeJob::drain() {
  const std::lock_guard lock(script_->mutex);
  return std::exchange(script_->events, {});
}

engine::JobProgress FakeJob::last_progress() const {
  const std::lock_guard lock(script_->mutex);
  engine::JobProgress progress = script_->last_progress;
  progress.state = script_->state;
  return progress;
}

bool FakeJob::wait_for(std::chrono::milliseconds time) {
  const auto ended = [this] { return script_->state.load() >= engine::JobState::kFinished; };
  const auto until = std::chrono::steady_clock::now() + time;
  while (!ended() && std::chrono::steady_clock::now() < until) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  return ended();
}

Result<std::vector<BackendReport>> FakeEngine::devices(bool /*refresh*/) {
  return script_->backends;
}

Result<std::unique_ptr<engine::Job>> FakeEngine::start(engine::JobSpec spec) {
  ++script_->starts;
  script_->last_spec = std::move(spec);
  if (!script_->start_error.empty()) return Error{ErrorCode::kBusy, script_->start_error};
  return std::unique_ptr<engine::Job>(std::make_unique<FakeJob>(script_->job));
}

Result<std::vector<engine::CompareTable>> FakeEngine::compare(const engine::CompareSpec& spec) {
  while (script_->compares_slowly) {
    if (spec.stop.stop_requested()) {
      ++script_->compares_ended;
      return Error{ErrorCode::kCancelled, "cancelled"};
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  {
    const std::lock_guard lock(script_->mutex);
    script_->last_compare = spec;
  }
  std::vector<engine::CompareTable> tables = spec.protocol.mode == CacheMode::kWarm   ? script_->tables
                                             : spec.protocol.mode == CacheMode::kCold ? script_->cold_tables
                                                                                      : std::vector<engine::CompareTable>();
  for (engine::CompareTable& table : tables) table.mode = spec.protocol.mode;
  return tables;
}

Result<std::vector<BackendLimits>> FakeEngine::limits(const std::vector<DeviceInfo>& /*devices*/, const std::string& /*level*/) {
  return std::vector<BackendLimits>();
}

Result<FusionResult> FakeEngine::fuse(const engine::FuseSpec& spec) {
  if (script_->fused && spec.what_runs) return *script_->fused;
  return Error{ErrorCode::kNotFound, spec.subject};
}

Result<engine::GraphView> FakeEngine::graph_view(const std::string& subject, const std::string& /*binding*/,
                                                 const std::string& /*level*/) {
  if (subject == "missing.onnx") return Error{ErrorCode::kNotFound, "'missing.onnx' is no file and no built-in model"};
  engine::GraphView view = script_->graph;
  view.model = subject;
  return view;
}

Result<std::int64_t> FakeEngine::count_trials(const TrialFilter& filter) {
  if (filter.outcome == "crashed") return std::int64_t{0};
  return script_->trials - (filter.include_synthetic ? 0 : script_->scripted.load());
}

Result<std::vector<std::pair<std::string, std::int64_t>>> FakeEngine::count_by_outcome(const TrialFilter& /*filter*/) {
  return std::vector<std::pair<std::string, std::int64_t>>{{"crashed", 3}, {"timed", script_->trials - 3}};
}

Result<std::vector<TrialRow>> FakeEngine::page(const TrialFilter& filter, TrialOrder order, std::int64_t offset,
                                               std::int64_t limit) {
  {
    const std::lock_guard lock(script_->mutex);
    script_->last_filter = filter;
    script_->last_order = order;
  }
  ++script_->pages_served;
  std::vector<TrialRow> rows;
  for (std::int64_t index = offset; index < std::min(offset + limit, script_->trials.load()); ++index)
    rows.push_back(canned_row(index));
  return rows;
}

Result<std::optional<TrialRecord>> FakeEngine::trial(const std::string& id) {
  return std::optional<TrialRecord>(canned_record(canned_row(std::stoll(id.substr(id.find('-') + 1)))));
}

Result<std::vector<TrialRecord>> FakeEngine::find_valid(const std::string&, const std::string&, const std::string&) {
  return std::vector<TrialRecord>();
}

Result<std::vector<TrialRecord>> FakeEngine::evidence(const EvidenceKey&, const std::vector<std::string>&, const std::string&) {
  return std::vector<TrialRecord>();
}

Result<std::optional<TuningRecord>> FakeEngine::tuning(const EvidenceKey&, const std::string&) {
  return std::optional<TuningRecord>();
}

Result<std::optional<GainRecord>> FakeEngine::gain(const PlanPairKey& /*key*/) {
  return std::optional<GainRecord>();
}

Result<std::optional<StoredSource>> FakeEngine::source(const std::string& kernel_key) {
  FL_TRY(auto found, kernel(kernel_key, nullptr));
  return std::optional(StoredSource{std::move(found->source.text), script_->stranger});
}

Result<std::optional<CompiledKernel>> FakeEngine::kernel(const std::string& /*kernel_key*/, std::string* /*unvouched*/) {
  CompiledKernel kernel;
  kernel.source.language = "c";
  kernel.source.text =
      "typedef float vec __attribute__((vector_size(64)));\n\nvoid fused(const float* a, const float* b, float* out, long begin, "
      "long end) {\n"
      "  for (long i = begin; i < end; i += 16) {\n    vec x = *(const vec*)(a + i) + *(const vec*)(b + i);\n    *(vec*)(out + i) "
      "= x;\n  }\n}\n";
  return std::optional<CompiledKernel>(std::move(kernel));
}

Result<Catalog> FakeEngine::catalog() {
  return script_->catalog;
}

EngineFactory fake_factory(std::shared_ptr<EngineScript> script) {
  return [script]() -> Result<std::unique_ptr<engine::Engine>> {
    if (!script->open_error.empty()) return Error{ErrorCode::kIo, script->open_error};
    return std::unique_ptr<engine::Engine>(std::make_unique<FakeEngine>(script));
  };
}

void push_busy_job(JobScript& job, int trials) {
  std::map<std::string, double> best;
  for (int index = trials; index-- > 0;) {
    engine::TrialFinished trial;
    trial.row = canned_row(index % 3 == 0 ? index : index * 7);
    trial.row.piece_key = "0123456789abcdef" + std::to_string(100 + index / 40);
    trial.row.piece_name = index / 40 % 2 == 0 ? "encoder/attention/softmax" : "encoder/residual_norm";
    trial.row.kind = PlanKind::kFused;
    trial.row.created_unix_ms = 1'760'000'000'000 - index * 1400;
    if (trial.row.median_ns > 0) {
      double& so_far = best.try_emplace(trial.row.piece_key, trial.row.median_ns).first->second;
      so_far = std::min(so_far, trial.row.median_ns);
      trial.best_ns = so_far;
    } else if (best.count(trial.row.piece_key) > 0) {
      trial.best_ns = best[trial.row.piece_key];
    }
    job.push(std::move(trial));
  }
  engine::JobProgress progress;
  progress.state = engine::JobState::kRunning;
  progress.phase = "tuning";
  progress.activity = "encoder/attention/softmax on cpu:0: 26 of 64 trials";
  progress.done = 0.42;
  progress.seconds_left = 154;
  progress.trials = trials;
  progress.reused = 18;
  progress.failed = trials / 9;
  job.push(progress);
  job.push(engine::TableChanged{canned_table()});
}

}  // namespace fuselab::gui::test
