// SPDX-License-Identifier: Apache-2.0
#include "app/deploy/trials/trial_set.h"

#include <algorithm>
#include <map>
#include <set>

#include "app/engine/subject/piece.h"
#include "core/measure/protocol.h"

namespace fuselab::deploy {
namespace {

constexpr std::int64_t kPage = 512;
constexpr std::int64_t kMostTrials = 200000;

Result<std::vector<TrialRecord>> fused_trials(ResultQueries& queries, const TrialFilter& filter) {
  std::vector<TrialRecord> trials;
  for (std::int64_t offset = 0; offset < kMostTrials; offset += kPage) {
    FL_TRY(const std::vector<TrialRow> rows, queries.page(filter, TrialOrder::kNewestFirst, offset, kPage));
    for (const TrialRow& row : rows) {
      FL_TRY(const std::optional<TrialRecord> trial, queries.trial(row.id));
      if (trial) trials.push_back(*trial);
    }
    if (static_cast<std::int64_t>(rows.size()) < kPage) break;
  }
  return trials;
}

Result<TunedTrial> tuned(const TrialRecord& record) {
  TunedTrial trial;
  FL_TRY(trial.config, LaunchConfig::parse(record.config));
  trial.outcome = record.result.outcome;
  trial.reason = record.result.reason;
  if (trial.outcome == Outcome::kTimed || trial.outcome == Outcome::kDropped) trial.runtimes_ns = record.result.samples;
  trial.median_ns = record.median_ns;
  trial.compile_ns = record.compile_time.count;
  trial.verify_ns = record.result.verifying.count;
  trial.created_unix_ms = record.created_unix_ms;
  return trial;
}

bool is_faster(const TunedTrial& a, const TunedTrial& b) {
  const bool a_timed = a.outcome == Outcome::kTimed, b_timed = b.outcome == Outcome::kTimed;
  if (a_timed != b_timed) return a_timed;
  if (a_timed && a.median_ns != b.median_ns) return a.median_ns < b.median_ns;
  return a.config.text() < b.config.text();
}

// The metrics of emptied caches and first launches mean something else, and so does a configuration that was given by hand.
std::set<std::string> warm_metrics(const Catalog& catalog) {
  std::set<std::string> keys;
  for (const auto& [key, metric] : catalog.metrics) {
    if (metric.mode == CacheMode::kWarm && metric.detail.find("as given") == std::string::npos) keys.insert(key);
  }
  return keys;
}

std::string name_of_device(const Catalog& catalog, const std::string& id) {
  const auto device = std::ranges::find(catalog.devices, id, &DeviceInfo::id);
  return device == catalog.devices.end() ? id : device->name;
}

}  // namespace

Result<TrialSet> stored_trials(engine::Engine& engine, const TrialSetSpec& spec) {
  FL_TRY(const DType dtype, engine::parse_element_type(spec.dtype));
  FL_TRY(const OptimizationLevel level, parse_optimization_level(spec.level));
  FL_TRY(const std::vector<engine::FusedModel> models,
         engine::cut_subject(engine.config(), spec.subject, spec.binding, dtype, level));
  if (models.size() != 1 || models.front().pieces.size() != 1)
    return invalid_argument(
        spec.subject + " is " + std::to_string(models.empty() ? 0 : models.front().pieces.size()) +
        " kernels; results of other tools' formats are of one: give one of them as a graph or as a kernel's file");
  const engine::Piece& piece = models.front().pieces.front();
  TrialFilter filter;
  filter.piece_key = piece.key;
  filter.device_id = spec.device;
  filter.kind = PlanKind::kFused;
  filter.include_synthetic = true;
  FL_TRY(const std::vector<TrialRecord> records, fused_trials(engine.queries(), filter));
  if (records.empty())
    return Error{ErrorCode::kNotFound, "nothing is stored of " + spec.subject + " on " + spec.device +
                                           "; measure it first: fuselab tune " + spec.subject};
  FL_TRY(const Catalog catalog, engine.queries().catalog());
  const std::set<std::string> warm = warm_metrics(catalog);
  const std::string whole = metric_of(Protocol()).key().hex();  // searches take fewer samples
  std::set<std::string> is_whole;                               // configurations with a figure of all samples
  std::map<std::string, TunedTrial> newest;  // by configuration; a figure counts more than a later failure to give one
  for (const TrialRecord& record : records) {
    // The trial is of another machine, or from before an update of this one.
    if (record.environment_key != records.front().environment_key || !warm.contains(record.metric_key)) continue;
    FL_TRY(TunedTrial trial, tuned(record));
    const bool better = trial.outcome == Outcome::kTimed && record.metric_key == whole && is_whole.insert(record.config).second;
    const auto [held, is_new] = newest.try_emplace(record.config, trial);
    const bool first_figure = held->second.outcome != Outcome::kTimed && trial.outcome == Outcome::kTimed;
    if (!is_new && (better || first_figure)) held->second = std::move(trial);
  }
  TrialSet set;
  set.kernel = piece.operation.name;
  set.device_id = spec.device;
  set.device = name_of_device(catalog, spec.device);
  set.problem = models.front().subject.binding;
  for (auto& [config, trial] : newest) {
    for (const auto& [name, value] : trial.config.values()) {
      if (std::ranges::find(set.parameters, name) == set.parameters.end()) set.parameters.push_back(name);
    }
    set.trials.push_back(std::move(trial));
  }
  std::ranges::sort(set.parameters);
  std::ranges::sort(set.trials, is_faster);
  return set;
}

}  // namespace fuselab::deploy
