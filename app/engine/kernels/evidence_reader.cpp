// SPDX-License-Identifier: Apache-2.0
#include "app/engine/kernels/evidence_reader.h"

#include <algorithm>

#include "app/engine/kernels/withheld_configs.h"
#include "app/views/plan_words.h"
#include "core/graph/graph_text.h"

namespace fuselab::engine {
namespace {

constexpr std::int64_t kNewestTrials = 4;  // a block of a piece has two

std::vector<std::string> split_configs(const std::string& text) {
  std::vector<std::string> parts;
  std::size_t start = 0;
  while (true) {
    const std::size_t end = text.find(';', start);
    parts.push_back(text.substr(start, end - start));
    if (end == std::string::npos) return parts;
    start = end + 1;
  }
}

// Returns true for drawbacks that other configurations of the same kernel are without: with these there is other evidence, which
// counts.
bool is_avoidable(Drawbacks drawbacks) {
  return std::any_of(kDrawbacks.begin(), kDrawbacks.end(),
                     [&](const DrawbackInfo& info) { return drawbacks.has(info.drawback) && !info.avoided_by.empty(); });
}

OptimizationLevel level_or_usual(const std::string& level) {
  const auto parsed = parse_optimization_level(level);
  return parsed.ok() ? parsed.value() : OptimizationLevel::kO2;
}

}  // namespace

wire::DescribeRequest describe_request(const DeviceInfo& device, const std::string& level, const Graph& graph) {
  return {device.backend, device.target, canonical_text(graph), level_or_usual(level)};
}

wire::CompileRequest compile_request(const DeviceInfo& device, const std::string& level, const Graph& graph,
                                     const LaunchConfig& config) {
  return {device.backend, device.target, canonical_text(graph), config, level_or_usual(level)};
}

wire::GenerateRequest generate_request(const DeviceInfo& device, const std::string& level, const Graph& graph,
                                       std::vector<LaunchConfig> configs) {
  return {device.backend, device.target, canonical_text(graph), std::move(configs), level_or_usual(level)};
}

std::string generation_key(const DeviceInfo& device, const std::string& level, const wire::DescribeReply& described) {
  IdentityHasher hasher("generation");
  hasher.add("backend", device.backend).add("target", device.target.id);
  hasher.add("generator", described.generator).add("generator_version", described.generator_version);
  hasher.add("compiler", described.compiler).add("compiler_version", described.compiler_version).add("flags", described.flags);
  const auto parsed = parse_optimization_level(level);  // kernels of another level have other names
  hasher.add("level", parsed.ok() ? std::string(name_of(parsed.value())) : level);
  for (const Parameter& parameter : described.space.parameters()) {
    for (const ParameterValue& value : parameter.values) hasher.add(parameter.name, parameter_text(value));
  }
  for (const Constraint& constraint : described.space.constraints()) hasher.add("constraint", constraint.expression);
  return hasher.finish().hex();
}

std::string failed_plan_key(const std::string& piece_key, const std::string& config, const std::string& generation) {
  return IdentityHasher("failed plan").add("piece", piece_key).add("config", config).add("generation", generation).finish().hex();
}

EvidenceReader EvidenceReader::after_stop() const {
  EvidenceReader reader = *this;
  reader.stop_ = std::stop_token();
  reader.asks_ = false;
  return reader;
}

EvidenceReader EvidenceReader::of_every_run() const {
  EvidenceReader reader = *this;
  reader.only_run_.clear();
  return reader;
}

bool EvidenceReader::is_current(const Piece& piece, const DeviceInfo& device, const TrialRecord& trial) {
  if (as_stored_.count(device.id) != 0) return true;
  if (auto known = known_.find(trial.plan_key); known != known_.end()) return known->second;
  if (!asks_) return false;
  const bool current = plan_key_today(piece, device, trial) == trial.plan_key;
  if (current || !stop_.stop_requested()) known_[trial.plan_key] = current;  // the stop may be why it was not made
  return current;
}

// Returns the key that the trial's plan would have if it were made now; empty when it would not be made.
std::string EvidenceReader::plan_key_today(const Piece& piece, const DeviceInfo& device, const TrialRecord& trial) {
  if (trial.kernel_keys.empty()) {
    auto described = workers_.describe(describe_request(device, level_, piece.operation.graph), stop_);
    if (described.ok()) leave_out_withheld(described.value().space, accepted_);
    const std::string generation = described.ok() ? generation_key(device, level_, described.value()) : std::string();
    return failed_plan_key(piece.key, trial.config, generation);
  }
  std::vector<const Graph*> graphs;
  if (trial.kind == PlanKind::kFused) graphs.push_back(&piece.operation.graph);
  if (trial.kind == PlanKind::kUnfused) {
    for (const Graph& graph : piece.operator_graphs) graphs.push_back(&graph);
  }
  const std::vector<std::string> configs = split_configs(trial.config);
  if (configs.size() != graphs.size()) return {};
  std::vector<std::string> keys;
  for (std::size_t index = 0; index < graphs.size(); ++index) {
    const auto config = LaunchConfig::parse(configs[index]);
    if (!config.ok()) return {};
    const auto kernel = workers_.generate(generate_request(device, level_, *graphs[index], {config.value()}), stop_).front();
    if (!kernel.ok()) return {};
    keys.push_back(kernel.value().kernel_id());
  }
  return plan_key_of(keys);
}

// Returns whether a later confirmation found the same kernels wrong. It verifies with more inputs than the trial did, so the trial
// is then no evidence any more, however fast it was. Where one held, the trial counts as confirmed, whichever block's time it is:
// a confirmation that other load disturbed outweighs no undisturbed block, and still verified the kernels.
Result<bool> EvidenceReader::wrong_when_confirmed(TrialRecord& trial) {
  FL_TRY(const auto same_plan, queries_.find_valid(trial.plan_key, trial.metric_key, trial.environment_key));
  for (const TrialRecord& other : same_plan) {
    const bool of_this_run = only_run_.empty() || other.run_id == only_run_;
    if (of_this_run && other.retimed && other.result.outcome == Outcome::kTimed) trial.retimed = true;
  }
  return std::any_of(same_plan.begin(), same_plan.end(), [&](const TrialRecord& other) {
    return other.result.outcome == Outcome::kWrongResult && other.created_unix_ms >= trial.created_unix_ms;
  });
}

Result<std::vector<TrialRecord>> EvidenceReader::current(const Piece& piece, const DeviceInfo& device,
                                                         const std::string& metric_key, const std::string& environment_key) {
  if (const auto shown = shown_.find({piece.key, device.id}); shown != shown_.end()) {
    std::vector<TrialRecord> trials = shown->second.trials;
    std::erase_if(trials, [&](const TrialRecord& trial) { return trial.metric_key != metric_key; });
    return trials;
  }
  std::vector<std::string> stale;
  while (true) {
    FL_TRY(std::vector<TrialRecord> evidence,
           queries_.evidence(piece.key, device.id, metric_key, environment_key, stale, only_run_));
    bool all_current = true;
    for (TrialRecord& trial : evidence) {
      if (is_avoidable(drawbacks_of(trial.config).without(accepted_))) {
        stale.push_back(trial.plan_key);
        all_current = false;
        continue;
      }
      FL_TRY(const bool wrong, wrong_when_confirmed(trial));
      if (!wrong && is_current(piece, device, trial)) continue;
      stale.push_back(trial.plan_key);
      all_current = false;
    }
    if (all_current) return evidence;
    if (stop_.stop_requested()) return Error{ErrorCode::kCancelled, "cancelled"};
  }
}

void EvidenceReader::show_only(const std::string& piece_key, const std::string& device_id, std::vector<TrialRecord> trials,
                               std::string config) {
  shown_[{piece_key, device_id}] = {std::move(trials), std::move(config)};
}

Result<std::string> EvidenceReader::newest_failure(const Piece& piece, const DeviceInfo& device, const std::string& metric_key,
                                                   const std::string& environment_key, std::optional<PlanKind> kind) {
  if (shows_only(piece.key, device.id)) return std::string();
  FL_TRY(const auto row, newest_failed(piece, device, metric_key, environment_key, kind));
  return row ? std::string(plan_word(row->kind, piece.is_single())) + " " + row->outcome + ": " + row->reason : std::string();
}

Result<std::string> EvidenceReader::newest_failed_config(const Piece& piece, const DeviceInfo& device,
                                                         const std::string& metric_key, const std::string& environment_key) {
  if (const auto shown = shown_.find({piece.key, device.id}); shown != shown_.end()) return shown->second.config;
  FL_TRY(const auto row, newest_failed(piece, device, metric_key, environment_key, PlanKind::kFused));
  return row ? row->config : std::string();
}

Result<std::optional<TrialRecord>> EvidenceReader::newest_withheld(const Piece& piece, const DeviceInfo& device,
                                                                   const std::string& metric_key,
                                                                   const std::string& environment_key, PlanKind kind) {
  if (shows_only(piece.key, device.id)) return std::optional<TrialRecord>();
  FL_TRY(const auto row, newest_failed(piece, device, metric_key, environment_key, kind));
  if (!row || row->outcome != name_of(Outcome::kMistrusted)) return std::optional<TrialRecord>();
  return queries_.trial(row->id);
}

Result<std::optional<TuningRecord>> EvidenceReader::search_of(const Piece& piece, const DeviceInfo& device,
                                                              const std::string& metric_key, const std::string& environment_key) {
  if (shows_only(piece.key, device.id)) return std::optional<TuningRecord>();
  FL_TRY(auto newest, queries_.tuning(piece.key, device.id, metric_key, environment_key, /*generation_key=*/""));
  // With other drawbacks accepted a search ranged over another space, and answers another question.
  const bool may_be_others = newest && (!accepted_.empty() || is_avoidable(drawbacks_of(newest->best_config)));
  if (!may_be_others || !asks_ || as_stored_.count(device.id) != 0) return newest;
  auto described = workers_.describe(describe_request(device, level_, piece.operation.graph), stop_);
  if (!described.ok()) return newest;
  leave_out_withheld(described.value().space, accepted_);
  return queries_.tuning(piece.key, device.id, metric_key, environment_key, generation_key(device, level_, described.value()));
}

Result<std::optional<GainRecord>> EvidenceReader::gain(const TrialRecord& fused, const TrialRecord& unfused) {
  if (shows_only(fused.piece_key, fused.device_id)) return std::optional<GainRecord>();
  return queries_.gain({fused.plan_key, unfused.plan_key, fused.device_id, fused.metric_key, fused.environment_key, only_run_});
}

Result<std::optional<TrialRow>> EvidenceReader::newest_failed(const Piece& piece, const DeviceInfo& device,
                                                              const std::string& metric_key, const std::string& environment_key,
                                                              std::optional<PlanKind> kind) {
  TrialFilter filter;
  filter.piece_key = piece.key;
  filter.device_id = device.id;
  filter.metric_key = metric_key;
  filter.environment_key = environment_key;
  filter.run_id = only_run_;
  filter.include_synthetic = true;
  filter.kind = kind;
  FL_TRY(const auto rows, queries_.page(filter, TrialOrder::kNewestFirst, 0, kNewestTrials));
  for (const TrialRow& row : rows) {
    if (is_avoidable(drawbacks_of(row.config).without(accepted_))) continue;
    const bool timed = row.outcome == name_of(Outcome::kTimed);
    if (timed && !kind) continue;  // the other plan may have failed
    FL_TRY(const auto trial, queries_.trial(row.id));
    if (!trial || !is_current(piece, device, *trial)) continue;
    return timed ? std::nullopt : std::optional(row);
  }
  return std::optional<TrialRow>();
}

}  // namespace fuselab::engine
