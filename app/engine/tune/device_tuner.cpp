// SPDX-License-Identifier: Apache-2.0
#include "app/engine/tune/device_tuner.h"

#include <algorithm>
#include <limits>

#include "app/engine/job/job_protocols.h"
#include "app/engine/subject/given_config.h"
#include "app/engine/tune/kernel_evaluator.h"
#include "app/engine/tune/plan_pair.h"
#include "app/views/plan_words.h"

namespace fuselab::engine {
namespace {

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
      calibration_(context, device, measurer_.environment_key()),
      judge_(context, device_, calibration_),
      pieces_(context, device_, measurer_.environment_key()),
      searches_(context, pieces_, measurer_, calibration_),
      gains_(context, pieces_, measurer_) {
  measurer_.set_judge(
      [this](const Plan& plan, const PairedCeiling& beside, PlanResult& result) { return judge_.judge(plan, beside, result); });
}

Status DeviceTuner::measure(const Piece& piece) {
  if (!context_.spec.remeasure) {
    FL_TRY(const auto known, context_.evidence.current(pieces_.asked(piece)));
    const std::size_t needed = piece.is_single() ? 1 : 2;
    if (known.size() >= needed) {
      measurer_.count_reused(static_cast<int>(known.size()));
      return calibration_.cover(piece.operation.graph, piece.operation.cost);  // does nothing where its ceiling is known
    }
  }
  const DevicePiece here = pieces_.of(piece);
  FL_TRY(PieceConfigs configs, pieces_.even_configs(here));
  // With --remeasure it is measured in a fresh process, or an older confirmation would outweigh it.
  const Freshness freshness = context_.spec.remeasure ? Freshness::kFreshProcess : Freshness::kReuse;
  const bool is_first = context_.spec.verb != JobSpec::Verb::kBench && !context_.spec.remeasure;
  const Protocol& usual = context_.spec.protocol;
  const auto records = measure_pair(here, std::move(configs), is_first ? first_protocol(usual) : usual, freshness);
  if (records.ok()) return {};
  note_failure(piece, records.error());
  return records.error();
}

Status DeviceTuner::give_config(const Piece& piece, const LaunchConfig& config) {
  if (!piece.not_measured.empty()) return {};
  DeviceGraph& graph = pieces_.whole(piece);
  FL_TRY(const bool supported, graph.is_supported());
  if (!supported) return {};  // measuring it gives the reason
  FL_TRY(graph.best, completed_config(config, graph.described.value(), piece.operation.name + " on " + device_.id));
  return {};
}

Status DeviceTuner::measure_given_config(const Piece& piece) {
  DeviceGraph& graph = pieces_.whole(piece);
  const auto config = pieces_.best_config(graph);
  Result<CompiledKernel> kernel = config.ok() ? pieces_.builder().make({{&graph, config.value()}}).front() : config.error();
  const LaunchConfig& given = config.ok() ? config.value() : context_.spec.config;
  std::vector<Candidate> alone;
  alone.push_back(single_kernel_candidate(piece.operation.graph, piece.key, piece.operation.name, given, std::move(kernel)));
  alone.back().generation = graph.generation;
  FL_TRY(std::vector<TrialRecord> records, measurer_.measure(std::move(alone), context_.spec.protocol, Freshness::kGivenConfig));
  note_failure(piece, records);
  std::erase_if(records, [](const TrialRecord& record) { return record.result.outcome != Outcome::kTimed; });
  for (TrialRecord& record : records) record.metric_key = context_.metric_key;  // stored apart, shown under the job's metric
  context_.evidence.show_only(piece.key, device_.id, std::move(records), given.text());
  return {};
}

Result<std::vector<TrialRecord>> DeviceTuner::measure_pair(const DevicePiece& here, PieceConfigs configs, Protocol protocol,
                                                           Freshness freshness) {
  const Piece& piece = here.piece;
  FL_TRY(std::vector<Candidate> pair, pieces_.pair_of(here, configs));
  protocol.drop_factor = 0;  // the loser of two is a result, not a waste
  const std::vector<Candidate> kept = pair;
  FL_TRY(const CeilingSpec beside, judge_.beside(piece, configs));
  FL_TRY(const std::vector<TrialRecord> records, measurer_.measure(std::move(pair), protocol, freshness, beside));
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

Status DeviceTuner::measure_even_pair(const DevicePiece& here, Freshness freshness) {
  FL_TRY(PieceConfigs configs, pieces_.even_configs(here));
  const auto records = measure_pair(here, std::move(configs), context_.spec.protocol, freshness);
  return records.ok() ? Status() : Status(records.error());
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
  return pieces_.builder().keep(kernels, /*with_binaries=*/true);
}

Result<int> DeviceTuner::tune(const Piece& piece, const SearchRunner::Allow& allow, const SearchRunner::OnStep& on_step) {
  FL_TRY(const int left, searches_.run(piece, allow, on_step));
  const DevicePiece here = pieces_.of(piece);
  FL_TRY(const bool tuned, pieces_.is_tuned(here));
  if (!tuned) return left;  // the pair was measured untuned already, and stays so
  if (on_step) on_step("the winners in a fresh process");
  FL_TRY_VOID(measure_even_pair(here, Freshness::kFreshProcess));
  return left;
}

Result<bool> DeviceTuner::awaits_winners(const Piece& piece) {
  const DevicePiece here = pieces_.of(piece);
  FL_TRY(const bool tuned, pieces_.is_tuned(here));
  if (!tuned) return false;
  FL_TRY(const PieceConfigs configs, pieces_.even_configs(here));
  const std::string fused = configs.front().ok() ? configs.front().value().text() : "";
  const std::string unfused = unfused_config(std::span(configs).subspan(1));
  const TrialFilter filter = filter_of(pieces_.key_of(piece.key));
  FL_TRY(const auto rows, context_.queries.page(filter, TrialOrder::kNewestFirst, 0, std::numeric_limits<std::int64_t>::max()));
  const auto lacks = [&](PlanKind kind, const std::string& config) {
    return !config.empty() && std::none_of(rows.begin(), rows.end(), [&](const TrialRow& row) {
      return row.retimed && row.kind == kind && row.config == config;
    });
  };
  return lacks(PlanKind::kFused, fused) || lacks(PlanKind::kUnfused, unfused);
}

Status DeviceTuner::confirm(const Piece& piece) {
  FL_TRY(const auto trials, context_.evidence.current(pieces_.asked(piece)));
  const bool confirmed = std::all_of(trials.begin(), trials.end(), [](const TrialRecord& trial) { return trial.retimed; });
  if (confirmed) return {};
  const DevicePiece here = pieces_.of(piece);
  FL_TRY(PieceConfigs configs, pieces_.even_configs(here));
  for (const TrialRecord& trial : trials) FL_TRY_VOID(take_configs(trial, configs));
  const auto records = measure_pair(here, std::move(configs), context_.spec.protocol, Freshness::kFreshProcess);
  return records.ok() ? Status() : Status(records.error());
}

Status DeviceTuner::measure_disturbed_again(const Piece& piece) {
  return was_disturbed(piece) ? measure_even_pair(pieces_.of(piece), Freshness::kAgain) : Status();
}

Status DeviceTuner::measure_cold(const Piece& piece) {
  if (device_.synthetic || context_.spec.protocol.mode == CacheMode::kCold) return {};
  const Protocol protocol = cold_protocol(context_.spec.protocol);
  const auto evidence = [&](const Protocol& of) {
    return context_.evidence.current(pieces_.asked(piece, metric_of(of).key().hex()));
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
  const DevicePiece here = pieces_.of(piece);
  FL_TRY(PieceConfigs configs, pieces_.even_configs(here));
  for (const TrialRecord& trial : warm) FL_TRY_VOID(take_configs(trial, configs));
  FL_TRY(std::vector<Candidate> pair, pieces_.pair_of(here, std::move(configs)));
  FL_TRY(const auto records, measurer_.measure(std::move(pair), protocol, Freshness::kReuse));
  for (const TrialRecord& record : records) context_.evidence.take_as_current(record.plan_key);
  return {};
}

}  // namespace fuselab::engine
