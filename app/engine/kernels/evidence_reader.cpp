// SPDX-License-Identifier: Apache-2.0
#include "app/engine/kernels/evidence_reader.h"

#include <algorithm>
#include <limits>

#include "app/engine/kernels/plan_configs.h"
#include "app/engine/kernels/requests.h"
#include "app/engine/kernels/withheld_configs.h"
#include "app/views/plan_words.h"

namespace fuselab::engine {
namespace {

constexpr std::int64_t kNewestTrials = 4;  // a block of a piece has two

// Returns true for drawbacks that other configurations of the same kernel are without: with these there is other evidence, which
// counts.
bool is_avoidable(Drawbacks drawbacks) {
  return std::any_of(kDrawbacks.begin(), kDrawbacks.end(),
                     [&](const DrawbackInfo& info) { return drawbacks.has(info.drawback) && !info.avoided_by.empty(); });
}

}  // namespace

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

// Returns the backend's answer about the piece as one kernel. It is asked once, and again only where it did not answer.
Result<wire::DescribeReply> EvidenceReader::describe(const Piece& piece, const DeviceInfo& device) {
  const std::pair place(piece.key, device.id);
  if (const auto known = described_.find(place); known != described_.end()) return known->second;
  FL_TRY(wire::DescribeReply described, workers_.describe(describe_request(device, level_, piece.operation.graph), stop_));
  leave_out_withheld(described.space, accepted_);
  return described_.emplace(place, std::move(described)).first->second;
}

// Returns the key that the trial's plan would have if it were made now; empty when it would not be made.
std::string EvidenceReader::plan_key_today(const Piece& piece, const DeviceInfo& device, const TrialRecord& trial) {
  if (trial.kernel_keys.empty()) {
    const auto described = describe(piece, device);
    const std::string generation = described.ok() ? generation_key(device, level_, described.value()) : std::string();
    return failed_plan_key(piece.key, trial.config, generation);
  }
  std::vector<const Graph*> graphs;
  if (trial.kind == PlanKind::kFused) graphs.push_back(&piece.operation.graph);
  if (trial.kind == PlanKind::kUnfused) {
    for (const Graph& graph : piece.operator_graphs) graphs.push_back(&graph);
  }
  const PlanConfigs configs = PlanConfigs::of(trial.config);
  if (configs.each.size() != graphs.size()) return {};
  std::vector<std::string> keys;
  for (std::size_t index = 0; index < graphs.size(); ++index) {
    const auto config = LaunchConfig::parse(configs.each[index]);
    if (!config.ok()) return {};
    const auto kernel = workers_.generate(generate_request(device, level_, *graphs[index], {config.value()}), stop_).front();
    if (!kernel.ok()) return {};
    keys.push_back(kernel.value().kernel_id());
  }
  return plan_key_of(keys);
}

// Returns whether a later confirmation found the same kernels wrong. It verifies with more inputs than the trial did, so the trial
// is then no evidence any more, however fast it was. Where one held, and none was wrong since, the trial counts as confirmed,
// whichever block's time it is: a confirmation that other load disturbed outweighs no undisturbed block, and still verified the
// kernels.
Result<bool> EvidenceReader::wrong_when_confirmed(TrialRecord& trial) {
  FL_TRY(const auto same_plan, queries_.find_valid(trial.plan_key, trial.metric_key, trial.environment_key));
  std::int64_t newest_wrong = std::numeric_limits<std::int64_t>::min();
  for (const TrialRecord& other : same_plan) {
    if (other.result.outcome == Outcome::kWrongResult) newest_wrong = std::max(newest_wrong, other.created_unix_ms);
  }
  for (const TrialRecord& other : same_plan) {
    const bool of_this_run = only_run_.empty() || other.run_id == only_run_;
    const bool held = other.retimed && other.result.outcome == Outcome::kTimed && other.created_unix_ms > newest_wrong;
    if (of_this_run && held) trial.retimed = true;
  }
  return newest_wrong >= trial.created_unix_ms;
}

Result<std::vector<TrialRecord>> EvidenceReader::current(const AskedEvidence& asked) {
  if (const auto shown = shown_.find({asked.piece.key, asked.device.id}); shown != shown_.end()) {
    std::vector<TrialRecord> trials = shown->second.trials;
    std::erase_if(trials, [&](const TrialRecord& trial) { return trial.metric_key != asked.metric; });
    return trials;
  }
  std::vector<std::string> stale;
  while (true) {
    FL_TRY(std::vector<TrialRecord> evidence, queries_.evidence(asked.key(), stale, only_run_));
    bool all_current = true;
    for (TrialRecord& trial : evidence) {
      if (is_avoidable(drawbacks_of(trial.config).without(accepted_))) {
        stale.push_back(trial.plan_key);
        all_current = false;
        continue;
      }
      FL_TRY(const bool wrong, wrong_when_confirmed(trial));
      if (!wrong && is_current(asked.piece, asked.device, trial)) continue;
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

Result<std::string> EvidenceReader::newest_failure(const AskedEvidence& asked, std::optional<PlanKind> kind) {
  if (shows_only(asked.piece.key, asked.device.id)) return std::string();
  FL_TRY(const auto row, newest_failed(asked, kind));
  return row ? std::string(plan_word(row->kind, asked.piece.is_single())) + " " + row->outcome + ": " + row->reason : std::string();
}

Result<std::string> EvidenceReader::newest_failed_config(const AskedEvidence& asked) {
  if (const auto shown = shown_.find({asked.piece.key, asked.device.id}); shown != shown_.end()) return shown->second.config;
  FL_TRY(const auto row, newest_failed(asked, PlanKind::kFused));
  return row ? row->config : std::string();
}

Result<std::optional<TrialRecord>> EvidenceReader::newest_withheld(const AskedEvidence& asked, PlanKind kind) {
  if (shows_only(asked.piece.key, asked.device.id)) return std::optional<TrialRecord>();
  FL_TRY(const auto row, newest_failed(asked, kind));
  if (!row || row->outcome != name_of(Outcome::kMistrusted)) return std::optional<TrialRecord>();
  return queries_.trial(row->id);
}

Result<std::optional<TuningRecord>> EvidenceReader::search_of(const AskedEvidence& asked) {
  const EvidenceKey key = asked.key();
  if (shows_only(key.piece, key.device)) return std::optional<TuningRecord>();
  FL_TRY(auto newest, queries_.tuning(key, /*generation_key=*/""));
  // With other drawbacks accepted a search ranged over another space, and answers another question.
  const bool may_be_others = newest && (!accepted_.empty() || is_avoidable(drawbacks_of(newest->best_config)));
  if (!may_be_others || !asks_ || as_stored_.count(key.device) != 0) return newest;
  const auto described = describe(asked.piece, asked.device);
  if (!described.ok()) return newest;
  return queries_.tuning(key, generation_key(asked.device, level_, described.value()));
}

Result<std::optional<GainRecord>> EvidenceReader::gain(const TrialRecord& fused, const TrialRecord& unfused) {
  if (shows_only(fused.piece_key, fused.device_id)) return std::optional<GainRecord>();
  return queries_.gain({fused.plan_key, unfused.plan_key, fused.device_id, fused.metric_key, fused.environment_key, only_run_});
}

Result<std::optional<TrialRow>> EvidenceReader::newest_failed(const AskedEvidence& asked, std::optional<PlanKind> kind) {
  TrialFilter filter = filter_of(asked.key());
  filter.run_id = only_run_;
  filter.kind = kind;
  FL_TRY(const auto rows, queries_.page(filter, TrialOrder::kNewestFirst, 0, kNewestTrials));
  for (const TrialRow& row : rows) {
    if (is_avoidable(drawbacks_of(row.config).without(accepted_))) continue;
    const bool timed = row.outcome == name_of(Outcome::kTimed);
    if (timed && !kind) continue;  // the other plan may have failed
    FL_TRY(const auto trial, queries_.trial(row.id));
    if (!trial || !is_current(asked.piece, asked.device, *trial)) continue;
    return timed ? std::nullopt : std::optional(row);
  }
  return std::optional<TrialRow>();
}

}  // namespace fuselab::engine
