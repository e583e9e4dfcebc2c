// SPDX-License-Identifier: Apache-2.0
#include "app/engine/measure/block_measurer.h"

#include <algorithm>
#include <limits>
#include <set>

#include "app/engine/kernels/requests.h"
#include "app/engine/measure/paired_replay.h"
#include "app/engine/workers/final_results.h"
#include "core/measure/cold_state.h"
#include "core/measure/loop/series_looks.h"
#include "core/platform/system/clock.h"
#include "core/platform/system/uuid.h"

namespace fuselab::engine {
namespace {

TrialRow row_of(const TrialRecord& record, const Candidate& candidate) {
  TrialRow row;
  row.id = record.id;
  row.run_id = record.run_id;
  row.piece_key = record.piece_key;
  row.piece_name = candidate.piece_name;
  row.device_id = record.device_id;
  row.backend = record.backend;
  row.config = record.config;
  row.outcome = name_of(record.result.outcome);
  row.reason = record.result.reason;
  row.kind = record.kind;
  row.median_ns = record.median_ns;
  row.low_ns = record.low_ns;
  row.high_ns = record.high_ns;
  row.retimed = record.retimed;
  row.synthetic = record.synthetic;
  row.created_unix_ms = record.created_unix_ms;
  return row;
}

// Returns whether the trial is of this candidate. Its key alone is not enough, since the row may have been edited.
bool is_of(const TrialRecord& trial, const Candidate& candidate, const DeviceInfo& device) {
  return trial.piece_key == candidate.piece_key && trial.kind == candidate.kind && trial.config == candidate.config &&
         trial.kernel_keys == candidate.kernel_keys && trial.device_id == device.id;
}

}  // namespace

std::string Candidate::plan_key() const {
  return kernel_keys.empty() ? failed_plan_key(piece_key, config, generation) : plan_key_of(kernel_keys);
}

bool is_disturbed(const TrialRecord& trial) {
  return trial.result.outcome == Outcome::kTimed && !trial.result.reason.empty();
}

BlockMeasurer::BlockMeasurer(JobContext& context, DeviceInfo device, EnvironmentIdentity environment)
    : context_(context),
      device_(std::move(device)),
      environment_(std::move(environment)),
      environment_key_(environment_.key().hex()),
      behind_(context.store, context.config.trace) {}

Status BlockMeasurer::settle() {
  unsettled_.clear();
  return behind_.settle();
}

Result<std::set<std::string>> BlockMeasurer::stored_configs(const std::string& piece_key, const Protocol& protocol) {
  std::set<std::string> configs;
  if (context_.spec.remeasure) return configs;
  FL_TRY_VOID(settle());
  const TrialFilter filter = filter_of(EvidenceKey{piece_key, device_.id, metric_of(protocol).key().hex(), environment_key_});
  FL_TRY(const auto rows, context_.queries.page(filter, TrialOrder::kOldestFirst, 0, std::numeric_limits<std::int64_t>::max()));
  for (const TrialRow& row : rows) configs.insert(row.config);
  return configs;
}

Result<std::vector<TrialRecord>> BlockMeasurer::find_stored(std::span<const Candidate> candidates, const Protocol& protocol,
                                                            bool retimed) {
  if (context_.spec.remeasure) return std::vector<TrialRecord>{};
  const std::string metric_key = metric_of(protocol).key().hex();
  const bool being_stored = std::any_of(candidates.begin(), candidates.end(),
                                        [&](const Candidate& candidate) { return unsettled_.contains(candidate.plan_key()); });
  if (being_stored) FL_TRY_VOID(settle());
  std::vector<std::vector<TrialRecord>> per_candidate;
  for (const Candidate& candidate : candidates) {
    FL_TRY(auto found, context_.queries.find_valid(candidate.plan_key(), metric_key, environment_key_));
    std::erase_if(found,
                  [&](const TrialRecord& trial) { return !is_of(trial, candidate, device_) || (retimed && !trial.retimed); });
    found = final_of(std::move(found));
    if (found.empty()) return std::vector<TrialRecord>{};
    per_candidate.push_back(std::move(found));
  }
  if (per_candidate.empty()) return std::vector<TrialRecord>{};
  for (const TrialRecord& first : per_candidate.front()) {
    std::vector<TrialRecord> block;
    for (const auto& trials : per_candidate) {
      const auto same =
          std::find_if(trials.begin(), trials.end(), [&](const TrialRecord& trial) { return trial.block_id == first.block_id; });
      if (same == trials.end()) break;
      block.push_back(*same);
    }
    if (block.size() == candidates.size()) {
      reused_ += static_cast<int>(block.size());
      return block;
    }
  }
  return std::vector<TrialRecord>{};
}

Result<std::vector<TrialRecord>> BlockMeasurer::measure(std::vector<Candidate> candidates, const Protocol& protocol,
                                                        Freshness freshness, const CeilingSpec& beside) {
  FL_TRY_VOID(settle());  // nothing is written during a timing, and no pause hides a failure to write
  context_.pause_point.pass(context_.stop);
  if (context_.stop.stop_requested()) return Error{ErrorCode::kCancelled, "cancelled"};
  // A confirmation that was stored before the job was killed is not repeated either.
  if (freshness == Freshness::kReuse || freshness == Freshness::kFreshProcess) {
    FL_TRY(auto stored, find_stored(candidates, protocol, freshness == Freshness::kFreshProcess));
    if (!stored.empty()) return stored;
  }
  return run_block(candidates, protocol, freshness, beside);
}

Result<ComparisonResult> BlockMeasurer::compare_paired(Plan baseline, Plan candidate, const Protocol& protocol,
                                                       const ComparisonRule& rule, ComparedSide& failed) {
  FL_TRY_VOID(settle());
  context_.pause_point.pass(context_.stop);
  ReplaySpec spec;
  spec.device = device_;
  spec.baseline = std::move(baseline);
  spec.candidate = std::move(candidate);
  spec.protocol = protocol;
  spec.rule = rule;
  spec.seed = context_.spec.seed;
  spec.special_inputs = false;  // both were confirmed with special inputs
  spec.fresh_processes = !device_.synthetic;
  const double start = platform::monotonic_now().count;
  const auto replay = replay_in_pairs(context_.workers, spec, context_.stop, &failed);
  deciding_seconds_ += (platform::monotonic_now().count - start) / 1e9;
  if (!replay.ok()) return replay.error();
  FL_TRY_VOID(replay.value().fitness());
  return replay.value().result;
}

Result<std::vector<TrialRecord>> BlockMeasurer::run_block(std::vector<Candidate>& candidates, const Protocol& protocol,
                                                          Freshness freshness, const CeilingSpec& beside) {
  Block block;
  block.device = device_.id;
  block.protocol = protocol;
  block.ceiling = beside;
  for (Candidate& candidate : candidates) {
    if (!candidate.failed) block.plans.push_back(std::move(candidate.plan));
  }

  MeasuredBlock measured;
  if (!block.plans.empty()) {
    const bool fresh = freshness != Freshness::kReuse && freshness != Freshness::kMeasure;
    FL_TRY(measured, fresh ? context_.workers.measure_fresh(device_, block, context_.stop)
                           : context_.workers.measure(device_, block, context_.stop));
    for (std::size_t index = 0; judge_ && index < block.plans.size(); ++index) {
      FL_TRY_VOID(judge_(block.plans[index], measured.conditions.ceiling, measured.plans.at(index)));
    }
  }

  const MetricIdentity metric = freshness == Freshness::kGivenConfig ? metric_of_given_config(protocol) : metric_of(protocol);
  const BlockFacts facts{platform::make_uuid(), metric.key().hex(), freshness};
  std::vector<TrialRecord> records;
  std::size_t next = 0;
  for (const Candidate& candidate : candidates) {
    if (candidate.failed) {
      records.push_back(record_of(candidate, *candidate.failed, facts, {}));
      continue;
    }
    records.push_back(record_of(candidate, measured.plans.at(next), facts, measured.process_ids.at(next)));
    ++next;
  }

  StoreBatch batch;
  // The record of a search's end waits for the disk; the trials before it need not.
  if (freshness == Freshness::kMeasure) batch.durability = Durability::kSoon;
  for (Plan& plan : block.plans) {
    for (PlanStep& step : plan.steps) {
      if (context_.spec.keep_all_binaries) batch.keep_binaries.push_back(step.kernel.kernel_id());
      batch.kernels.push_back(std::move(step.kernel));
    }
  }
  // A cancelled plan is no result: it is left out, and measured by the next run.
  std::copy_if(records.begin(), records.end(), std::back_inserter(batch.trials),
               [](const TrialRecord& record) { return record.result.outcome != Outcome::kCancelled; });
  if (measured.conditions.wall_seconds > 0) batch.blocks.push_back({facts.id, measured.conditions});
  note_short_samples(measured, protocol.mode);
  note_unverified(measured);
  std::vector<TrialFinished> finished;
  for (std::size_t index = 0; index < records.size(); ++index) {
    if (records[index].result.outcome == Outcome::kCancelled) continue;
    const Candidate& candidate = candidates[index];
    unsettled_.insert(records[index].plan_key);
    const PlanResult& result = records[index].result;
    finished.push_back(
        {row_of(records[index], candidate), {}, protocol.mode, candidate.single_operator, result.verifying, result.timing});
  }
  FL_TRY_VOID(behind_.begin(std::move(batch), [this, finished = std::move(finished)] {
    for (const TrialFinished& trial : finished) publish(trial);
  }));
  if (freshness != Freshness::kMeasure) FL_TRY_VOID(settle());
  // The caller stops here, too: a block that was cut short is no result, least of all the job's last.
  const bool cut_short = std::any_of(records.begin(), records.end(),
                                     [](const TrialRecord& record) { return record.result.outcome == Outcome::kCancelled; });
  if (cut_short) return Error{ErrorCode::kCancelled, "cancelled"};
  return records;
}

// Logs this once for each metric of the job.
void BlockMeasurer::note_short_samples(const MeasuredBlock& measured, CacheMode mode) {
  if (told_short_.contains(mode)) return;
  for (const PlanResult& plan : measured.plans) {
    const std::string text = plan.outcome == Outcome::kTimed ? too_short_for_timer(measured.conditions.timer, plan) : "";
    if (text.empty()) continue;
    told_short_.insert(mode);
    context_.events.push(LogLine{LogLine::Level::kInfo, device_.id + ", " + std::string(name_of(mode)) + ": " + text +
                                                            "; others of this job may be as short"});
    return;
  }
}

// Logs this once; not for scripted times, of which nobody expects it.
void BlockMeasurer::note_unverified(const MeasuredBlock& measured) {
  if (told_unverified_ || device_.synthetic) return;
  for (const PlanResult& plan : measured.plans) {
    const std::string why = why_unverified(plan);
    if (why.empty()) continue;
    told_unverified_ = true;
    context_.events.push(LogLine{LogLine::Level::kInfo, device_.id + ", cold: " + why});
    return;
  }
}

TrialRecord BlockMeasurer::record_of(const Candidate& candidate, const PlanResult& result, const BlockFacts& block,
                                     const std::string& process_id) const {
  TrialRecord record;
  record.id = platform::make_uuid();
  record.run_id = context_.run_id;
  record.piece_key = candidate.piece_key;
  record.device_id = device_.id;
  record.backend = device_.backend;
  record.kind = candidate.kind;
  record.config = candidate.config;
  record.kernel_keys = candidate.kernel_keys;
  record.plan_key = candidate.plan_key();
  record.metric_key = block.metric_key;
  record.environment_key = environment_key_;
  record.result = result;
  record.compile_time = candidate.compile_time;
  record.block_id = block.id;
  record.process_id = process_id;
  record.retimed = block.freshness == Freshness::kFreshProcess || block.freshness == Freshness::kAgain;
  record.synthetic = device_.synthetic;
  record.created_unix_ms = platform::unix_milliseconds();
  if (result.outcome == Outcome::kTimed || result.outcome == Outcome::kMistrusted) {
    const Summary summary = summarize_series(result.samples);
    record.median_ns = summary.median;
    record.low_ns = summary.interval.low;
    record.high_ns = summary.interval.high;
  }
  return record;
}

void BlockMeasurer::publish(TrialFinished trial) {
  const bool timed = trial.row.outcome == name_of(Outcome::kTimed);
  ++measured_;
  if (!timed && trial.row.outcome != name_of(Outcome::kDropped)) ++failed_;
  const auto key = std::tuple(trial.row.piece_key, trial.row.kind, trial.mode);
  if (timed) {
    double& best = best_ns_.try_emplace(key, trial.row.median_ns).first->second;
    best = std::min(best, trial.row.median_ns);
  }
  if (const auto best = best_ns_.find(key); best != best_ns_.end()) trial.best_ns = best->second;
  context_.events.push(std::move(trial));
}

}  // namespace fuselab::engine
