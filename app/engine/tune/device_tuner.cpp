// SPDX-License-Identifier: Apache-2.0
#include "app/engine/tune/device_tuner.h"

#include <algorithm>
#include <limits>
#include <set>

#include "app/engine/job/job_protocols.h"
#include "app/engine/kernels/evidence_reader.h"
#include "app/engine/kernels/requests.h"
#include "app/engine/measure/figures.h"
#include "app/engine/measure/roofline.h"
#include "app/engine/tune/kernel_evaluator.h"
#include "app/engine/tune/plan_pair.h"
#include "app/views/plan_words.h"
#include "core/graph/graph_text.h"
#include "core/stats/statistics.h"

namespace fuselab::engine {
namespace {

constexpr std::int64_t kNewestToCompare = 1000;

std::set<std::string> plan_keys(const std::vector<TrialRecord>& trials) {
  std::set<std::string> keys;
  for (const TrialRecord& trial : trials) keys.insert(trial.plan_key);
  return keys;
}

}  // namespace

DeviceTuner::DeviceTuner(JobContext& context, const DeviceInfo& device, const EnvironmentIdentity& environment)
    : context_(context),
      device_(device),
      measurer_(context, device, environment),
      builder_(context, device),
      calibration_(context, device, measurer_.environment_key()) {
  measurer_.set_judge(
      [this](const Plan& plan, const PairedCeiling& beside, PlanResult& result) { return judge(plan, beside, result); });
}

Result<std::optional<TuningRecord>> DeviceTuner::ended_search(const Graph& graph) {
  FL_TRY(const wire::DescribeReply described, builder_.describe(graph));
  return context_.queries.tuning({graph_key(graph).hex(), device_.id, context_.metric_key, measurer_.environment_key()},
                                 generation_key(device_, context_.spec.level, described));
}

Result<LaunchConfig> DeviceTuner::default_config(const Graph& graph) {
  FL_TRY(const wire::DescribeReply described, builder_.describe(graph));
  if (!described.support.yes) return Error{ErrorCode::kUnsupported, described.support.why_not};
  return described.default_config;
}

Result<LaunchConfig> DeviceTuner::config_for(const Graph& graph) {
  const std::string key = graph_key(graph).hex();
  if (auto known = best_.find(key); known != best_.end()) return known->second;
  FL_TRY(LaunchConfig config, default_config(graph));
  FL_TRY(const auto search, ended_search(graph));
  if (search && !search->best_config.empty()) {
    FL_TRY(config, LaunchConfig::parse(search->best_config));
  }
  best_[key] = config;
  return config;
}

Result<bool> DeviceTuner::is_searched(const Graph& graph) {
  FL_TRY(const wire::DescribeReply described, builder_.describe(graph));
  if (!described.support.yes) return true;
  FL_TRY(const auto search, ended_search(graph));
  return search && was_searched(*search);
}

Result<bool> DeviceTuner::is_tuned(const Piece& piece) {
  for (const Graph* graph : graphs_of(piece)) {
    FL_TRY(const bool searched, is_searched(*graph));
    if (!searched) return false;
  }
  return true;
}

// Returns configurations that are either all tuned or all untuned. Otherwise an operator searched for another piece's sake would be
// compared with a kernel that was never searched.
Result<DeviceTuner::Configs> DeviceTuner::even_configs(const Piece& piece) {
  FL_TRY(const bool tuned, is_tuned(piece));
  Configs configs;
  for (const Graph* graph : graphs_of(piece)) configs.push_back(tuned ? config_for(*graph) : default_config(*graph));
  return configs;
}

Result<bool> DeviceTuner::awaits_winners(const Piece& piece) {
  FL_TRY(const bool tuned, is_tuned(piece));
  if (!tuned) return false;
  FL_TRY(const Configs configs, even_configs(piece));
  const std::string fused = configs.front().ok() ? configs.front().value().text() : "";
  const std::string unfused = unfused_config(std::span(configs).subspan(1));
  const TrialFilter filter = filter_of(EvidenceKey{piece.key, device_.id, context_.metric_key, measurer_.environment_key()});
  FL_TRY(const auto rows, context_.queries.page(filter, TrialOrder::kNewestFirst, 0, std::numeric_limits<std::int64_t>::max()));
  const auto lacks = [&](PlanKind kind, const std::string& config) {
    return !config.empty() && std::none_of(rows.begin(), rows.end(), [&](const TrialRow& row) {
      return row.retimed && row.kind == kind && row.config == config;
    });
  };
  return lacks(PlanKind::kFused, fused) || lacks(PlanKind::kUnfused, unfused);
}

Result<std::vector<Candidate>> DeviceTuner::pair_of(const Piece& piece, Configs configs) {
  // Supported graphs are compiled together, so that the pool is used; the others carry their own error.
  const std::vector<const Graph*> graphs = graphs_of(piece);
  std::vector<KernelOrder> orders;
  std::vector<Result<CompiledKernel>> kernels;
  std::vector<std::size_t> places;
  LaunchConfig fused_config;
  for (std::size_t index = 0; index < graphs.size(); ++index) {
    Result<LaunchConfig>& config = configs[index];
    kernels.emplace_back(config.ok() ? Error{ErrorCode::kInternal, "not made"} : config.error());
    if (!config.ok()) continue;
    if (index == 0) fused_config = config.value();
    orders.push_back({graphs[index], std::move(config).value()});
    places.push_back(index);
  }
  std::vector<Result<CompiledKernel>> made = builder_.make(orders);
  for (std::size_t index = 0; index < places.size(); ++index) kernels[places[index]] = std::move(made[index]);

  std::vector<Candidate> pair;
  pair.push_back(
      single_kernel_candidate(piece.operation.graph, piece.key, piece.operation.name, fused_config, std::move(kernels.front())));
  kernels.erase(kernels.begin());
  if (!piece.is_single()) pair.push_back(unfused_candidate(piece, std::move(kernels)));
  for (Candidate& candidate : pair) candidate.generation = builder_.generation_of(piece.operation.graph);
  return pair;
}

// The ceilings of the piece, with as many threads as its kernel computes with.
Result<CeilingSpec> DeviceTuner::ceiling_beside(const Piece& piece, const Configs& configs) {
  if (device_.synthetic || !configs.front().ok()) return CeilingSpec{};
  const Cost& cost = piece.operation.cost;
  const Status covered = calibration_.cover(piece.operation.graph, cost);
  const bool died = !covered.ok() && (covered.error().code == ErrorCode::kCrashed || covered.error().code == ErrorCode::kTimeout);
  if (died) return CeilingSpec{};  // the figure does not go with it
  FL_TRY_VOID(covered);
  return calibration_.beside(piece.operation.graph, cost, static_cast<int>(configs.front().value().integer("threads", 0)));
}

Result<std::vector<TrialRecord>> DeviceTuner::measure_pair(const Piece& piece, Freshness freshness) {
  FL_TRY(Configs configs, even_configs(piece));
  return measure_pair(piece, std::move(configs), context_.spec.protocol, freshness);
}

Result<std::vector<TrialRecord>> DeviceTuner::measure_pair(const Piece& piece, Configs configs, Protocol protocol,
                                                           Freshness freshness) {
  FL_TRY(std::vector<Candidate> pair, pair_of(piece, configs));
  protocol.drop_factor = 0;  // the loser of two is a result, not a waste
  const std::vector<Candidate> kept = pair;
  FL_TRY(const CeilingSpec beside, ceiling_beside(piece, configs));
  auto measured = measurer_.measure(std::move(pair), protocol, freshness, beside);
  if (!measured.ok()) {
    return measured.error();
  }
  const std::vector<TrialRecord> records = std::move(measured).value();
  for (const TrialRecord& record : records) context_.evidence.take_as_current(record.plan_key);
  note_failure(piece, records);
  disturbed_.erase(piece.key);
  // One that beat its ceiling is measured again at the end, too: others may have shown by then that the ceiling was too low.
  const bool again = std::any_of(records.begin(), records.end(), [](const TrialRecord& record) {
    return is_disturbed(record) || record.result.outcome == Outcome::kMistrusted;
  });
  if (again) disturbed_.insert(piece.key);
  FL_TRY_VOID(keep_binaries(kept, records));
  return records;
}

// A figure that beats its ceiling means that the ceiling or the figure is wrong. A ceiling timed in turns with the plan is of the
// same minute, and is asked first. The stored one is measured again, more than once since a shared machine's memory has slow
// spells, and a figure that still beats the best of them is not believed, unless others agree with it.
Result<bool> DeviceTuner::beats_ceiling(const Plan& plan, const Cost& cost, const PairedCeiling& beside, const PlanResult& result) {
  const Graph& graph = plan.graph;
  FL_TRY_VOID(calibration_.cover(graph, cost));
  const double median_ns = summarize(result.samples).median;
  const auto light_now = [&] {
    return speed_of_light(graph, cost, calibration_.working_set(cost), calibration_.table(), Nanoseconds{median_ns});
  };
  SpeedOfLight light = light_now();
  if (light.share <= kMistrustedShare) return false;
  const auto paired = paired_share(cost, result.samples, beside);
  if (paired && paired->memory_bound == light.memory_bound && paired->share.interval.low <= kMistrustedShare) return false;
  while (light.share > kMistrustedShare) {
    FL_TRY(const bool measured_again, calibration_.measure_again(graph, cost, light.memory_bound));
    if (!measured_again) {
      FL_TRY(const bool agreed, others_agree(plan, median_ns));
      if (agreed) FL_TRY_VOID(calibration_.raise(graph, cost, light.memory_bound, median_ns * 1e-9));
      return !agreed;
    }
    light = light_now();
  }
  return false;
}

Result<bool> DeviceTuner::others_agree(const Plan& plan, double median_ns) {
  constexpr double kAlike = 1.1;
  if (device_.type != "cpu") return false;
  FL_TRY(const Catalog catalog, context_.queries.catalog());
  std::set<std::string> same_processor;
  for (const DeviceInfo& device : catalog.devices) {
    if (device.type == "cpu" && device.backend != device_.backend) same_processor.insert(device.id);
  }
  TrialFilter filter;
  filter.piece_key = graph_key(plan.graph).hex();
  filter.metric_key = context_.metric_key;
  filter.run_id = context_.run_id;
  FL_TRY(const auto rows, context_.queries.page(filter, TrialOrder::kNewestFirst, 0, kNewestToCompare));
  const PlanKind kind = plan.steps.size() > 1 ? PlanKind::kUnfused : PlanKind::kFused;
  return std::any_of(rows.begin(), rows.end(), [&](const TrialRow& row) {
    const bool verified = row.outcome == name_of(Outcome::kTimed) || row.outcome == name_of(Outcome::kMistrusted);
    return verified && row.kind == kind && same_processor.contains(row.device_id) &&
           plan_drawbacks(row.config, {}).stated == stated_drawbacks(plan) && row.median_ns < kAlike * median_ns &&
           median_ns < kAlike * row.median_ns;
  });
}

Status DeviceTuner::judge(const Plan& plan, const PairedCeiling& beside, PlanResult& result) {
  if (result.outcome != Outcome::kTimed) return {};
  FL_TRY(const Cost usual, cost_of(plan.graph));
  const Cost cost = least_cost(usual, stated_drawbacks(plan));
  if (device_.synthetic) return calibration_.cover(plan.graph, cost);
  if (!calibration_.judges(cost)) return {};
  Result<bool> beaten = beats_ceiling(plan, cost, beside, result);
  if (!beaten.ok() && beaten.error().code == ErrorCode::kCrashed) beaten = beats_ceiling(plan, cost, beside, result);
  // A worker that died while judging does not lose the figure; since it then has a reason, it is measured again.
  const bool unjudged = !beaten.ok() && (beaten.error().code == ErrorCode::kCrashed || beaten.error().code == ErrorCode::kTimeout);
  if (unjudged) {
    result.reason += (result.reason.empty() ? "" : "; ") + ("held against no ceiling: " + beaten.error().message);
    return {};
  }
  if (!beaten.ok()) return beaten.error();
  if (!beaten.value()) return {};
  result.outcome = Outcome::kMistrusted;
  result.reason = "faster than the device's measured ceiling allows, which was measured " +
                  std::to_string(Calibration::kMostRemeasurements) + " times more";
  return {};
}

void DeviceTuner::note_failure(const Piece& piece, const std::vector<TrialRecord>& records) {
  for (const TrialRecord& record : records) {
    if (record.result.outcome == Outcome::kTimed) continue;
    failures_[piece.key] = std::string(plan_word(record.kind, piece.is_single())) + " " +
                           std::string(name_of(record.result.outcome)) + ": " + record.result.reason;
    return;
  }
  failures_.erase(piece.key);
}

// Notes why a pair was not measured at all, such as a compiler that died, as the reason why its first plan has no figure.
void DeviceTuner::note_failure(const Piece& piece, const Error& error) {
  if (error.code == ErrorCode::kCancelled) return;
  const PlanResult failed = failed_result(error);
  failures_[piece.key] = std::string(plan_word(PlanKind::kFused, piece.is_single())) + " " + std::string(name_of(failed.outcome)) +
                         ": " + failed.reason;
}

// Keeps the binaries of plans that may be chosen, and of those that a choice is compared with, so that they can be deployed without
// a compiler.
Status DeviceTuner::keep_binaries(const std::vector<Candidate>& pair, const std::vector<TrialRecord>& records) {
  std::vector<CompiledKernel> kernels;
  for (std::size_t index = 0; index < pair.size(); ++index) {
    if (records[index].result.outcome != Outcome::kTimed) continue;
    for (const PlanStep& step : pair[index].plan.steps) kernels.push_back(step.kernel);
  }
  return builder_.keep(kernels, /*with_binaries=*/true);
}

Status DeviceTuner::measure(const Piece& piece) {
  if (!context_.spec.remeasure) {
    FL_TRY(const auto known, context_.evidence.current({piece, device_, context_.metric_key, measurer_.environment_key()}));
    const std::size_t needed = piece.is_single() ? 1 : 2;
    if (known.size() >= needed) {
      measurer_.count_reused(static_cast<int>(known.size()));
      return calibration_.cover(piece.operation.graph, piece.operation.cost);  // does nothing where its ceiling is known
    }
  }
  FL_TRY(Configs configs, even_configs(piece));
  // With --remeasure it is measured in a fresh process, or an older confirmation would outweigh it.
  const Freshness freshness = context_.spec.remeasure ? Freshness::kFreshProcess : Freshness::kReuse;
  const bool is_first = context_.spec.verb != JobSpec::Verb::kBench && !context_.spec.remeasure;
  const Protocol& usual = context_.spec.protocol;
  const auto records = measure_pair(piece, std::move(configs), is_first ? first_protocol(usual) : usual, freshness);
  if (records.ok()) return {};
  note_failure(piece, records.error());
  return records.error();
}

Status DeviceTuner::confirm(const Piece& piece) {
  FL_TRY(const auto trials, context_.evidence.current({piece, device_, context_.metric_key, measurer_.environment_key()}));
  const bool confirmed = std::all_of(trials.begin(), trials.end(), [](const TrialRecord& trial) { return trial.retimed; });
  if (confirmed) return {};
  FL_TRY(Configs configs, even_configs(piece));
  for (const TrialRecord& trial : trials) FL_TRY_VOID(take_configs(trial, configs));
  const auto records = measure_pair(piece, std::move(configs), context_.spec.protocol, Freshness::kFreshProcess);
  return records.ok() ? Status() : Status(records.error());
}

Status DeviceTuner::measure_disturbed_again(const Piece& piece) {
  if (!was_disturbed(piece)) return {};
  const auto records = measure_pair(piece, Freshness::kAgain);
  return records.ok() ? Status() : Status(records.error());
}

Status DeviceTuner::measure_cold(const Piece& piece) {
  if (device_.synthetic || context_.spec.protocol.mode == CacheMode::kCold) return {};
  const Protocol protocol = cold_protocol(context_.spec.protocol);
  const auto evidence = [&](const Protocol& of) {
    return context_.evidence.current({piece, device_, metric_of(of).key().hex(), measurer_.environment_key()});
  };
  FL_TRY(const auto warm, evidence(context_.spec.protocol));
  if (warm.empty()) return {};
  if (!context_.spec.remeasure) {
    FL_TRY(const auto cold, evidence(protocol));
    if (plan_keys(cold) == plan_keys(warm)) {
      measurer_.count_reused(static_cast<int>(cold.size()));
      return {};
    }
  }
  FL_TRY(Configs configs, even_configs(piece));
  for (const TrialRecord& trial : warm) FL_TRY_VOID(take_configs(trial, configs));
  FL_TRY(std::vector<Candidate> pair, pair_of(piece, std::move(configs)));
  FL_TRY(const auto records, measurer_.measure(std::move(pair), protocol, Freshness::kReuse));
  for (const TrialRecord& record : records) context_.evidence.take_as_current(record.plan_key);
  return {};
}

}  // namespace fuselab::engine
