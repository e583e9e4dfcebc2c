// SPDX-License-Identifier: Apache-2.0
#include "app/engine/tune/kernel_evaluator.h"

#include <algorithm>

#include "app/views/plan_words.h"
#include "core/measure/disturbance.h"
#include "core/stats/statistics.h"

namespace fuselab::engine {
namespace {

// Returns the outcome of a failed compilation. Only an error of the kernel's text or the generator is a compile error, which is
// served from the store again. A fault of the machine (a full disk, a lock, a missing compiler) keeps the kernel from being made
// this time only.
Outcome outcome_of(ErrorCode code) {
  switch (code) {
    case ErrorCode::kUnsupported: return Outcome::kUnsupported;
    case ErrorCode::kCancelled: return Outcome::kCancelled;
    case ErrorCode::kTimeout: return Outcome::kTimeout;
    case ErrorCode::kCrashed: return Outcome::kCrashed;
    case ErrorCode::kOutOfMemory: return Outcome::kOutOfMemory;
    case ErrorCode::kIo:
    case ErrorCode::kBusy:
    case ErrorCode::kNotFound:
    case ErrorCode::kUnavailable:
    case ErrorCode::kCorrupt: return Outcome::kSkipped;
    default: return Outcome::kCompileError;
  }
}

// Returns how long a launch may last when another candidate's takes `best_ns`. A kernel that hangs must not cost a search its
// budget, and one that ran while the machine stood still must not be taken for a hang.
Nanoseconds patience_beside(double best_ns) {
  constexpr double kLeast = 2e9;
  constexpr double kTimesAsSlow = 100;
  return {std::clamp(kTimesAsSlow * best_ns, kLeast, Protocol().launch_timeout.count)};
}

}  // namespace

PlanResult failed_result(const Error& error) {
  PlanResult result;
  result.outcome = outcome_of(error.code);
  result.reason = error.message;
  return result;
}

bool deserves_another_measurement(const PlanResult& dropped, double best_ns) {
  constexpr double kHalved = 2;
  if (dropped.outcome != Outcome::kDropped || !says_disturbed(dropped) || dropped.samples.empty()) return false;
  return *std::min_element(dropped.samples.begin(), dropped.samples.end()) < kHalved * best_ns;
}

Candidate single_kernel_candidate(const Graph& graph, const std::string& key, const std::string& name, const LaunchConfig& config,
                                  Result<CompiledKernel> kernel) {
  Candidate candidate;
  candidate.piece_key = key;
  candidate.piece_name = name;
  candidate.config = config.text();
  candidate.single_operator = is_single_operator(graph);
  if (!kernel.ok()) {
    candidate.failed = failed_result(kernel.error());
    return candidate;
  }
  candidate.kernel_keys = {kernel.value().kernel_id()};
  candidate.compile_time = kernel.value().metrics.compile_time;
  candidate.plan = whole_graph_plan("fused " + candidate.config, graph, std::move(kernel).value());
  return candidate;
}

KernelEvaluator::KernelEvaluator(const DeviceGraph& graph, std::string name, KernelBuilder& builder, BlockMeasurer& measurer,
                                 Protocol protocol)
    : graph_(graph), name_(std::move(name)), builder_(builder), measurer_(measurer), protocol_(protocol) {}

Result<std::vector<tuner::Evaluation>> KernelEvaluator::evaluate(std::span<const LaunchConfig> configs, std::stop_token /*stop*/) {
  if (!stored_) {
    FL_TRY(stored_, measurer_.stored_configs(graph_.key, protocol_));
  }
  std::vector<tuner::Evaluation> evaluations(configs.size());
  std::vector<tuner::Evaluation*> known;
  for (std::size_t index = 0; index < configs.size(); ++index) {
    evaluations[index].config = configs[index];
    if (!stored_->insert(configs[index].text()).second) known.push_back(&evaluations[index]);
  }
  if (!known.empty()) FL_TRY_VOID(take_stored(known));
  FL_TRY_VOID(measure_the_rest(evaluations));
  remember_best_of(evaluations);
  FL_TRY_VOID(hear_again(evaluations));
  return evaluations;
}

Status KernelEvaluator::measure_the_rest(std::vector<tuner::Evaluation>& evaluations) {
  std::vector<tuner::Evaluation*> unmeasured;
  for (tuner::Evaluation& evaluation : evaluations) {
    if (!evaluation.reused) unmeasured.push_back(&evaluation);
  }
  return measure(unmeasured);
}

Status KernelEvaluator::measure(std::span<tuner::Evaluation* const> evaluations) {
  if (evaluations.empty()) return {};
  std::vector<KernelOrder> orders;
  for (const tuner::Evaluation* const evaluation : evaluations) orders.push_back({&graph_, evaluation->config});
  const auto kernels = builder_.make_unstored(orders);
  FL_TRY(auto records, measurer_.measure(candidates_of(orders, kernels), protocol_, Freshness::kMeasure));
  for (std::size_t index = 0; index < records.size(); ++index) {
    evaluations[index]->result = std::move(records[index].result);
    evaluations[index]->trial_id = records[index].id;
  }
  return {};
}

// Measures candidates again that were dropped while the machine was disturbed. The best was timed in another block, and load on
// this block alone must not end a candidate that is as good.
Status KernelEvaluator::hear_again(std::vector<tuner::Evaluation>& evaluations) {
  if (measurer_.device().synthetic) return {};
  std::vector<tuner::Evaluation*> again;
  for (tuner::Evaluation& evaluation : evaluations) {
    if (!evaluation.reused && deserves_another_measurement(evaluation.result, protocol_.best_before.count))
      again.push_back(&evaluation);
  }
  FL_TRY_VOID(measure(again));
  remember_best_of(evaluations);
  return {};
}

Protocol KernelEvaluator::to_the_end() const {
  Protocol protocol = protocol_;
  protocol.best_before = {};  // of another process; here they are compared only with each other
  protocol.drop_factor = 0;   // and each is timed to the end
  protocol.launch_timeout = Protocol().launch_timeout;
  return protocol;
}

Result<ComparisonResult> KernelEvaluator::compare_paired(const LaunchConfig& baseline, const LaunchConfig& candidate,
                                                         const ComparisonRule& rule, ComparedSide& failed) {
  auto kernels = builder_.make({{&graph_, baseline}, {&graph_, candidate}});
  for (const Result<CompiledKernel>& kernel : kernels) {
    if (!kernel.ok()) return kernel.error();
  }
  return measurer_.compare_paired(whole_graph_plan("start", *graph_.graph, std::move(kernels[0]).value()),
                                  whole_graph_plan("winner", *graph_.graph, std::move(kernels[1]).value()), to_the_end(), rule,
                                  failed);
}

Result<std::vector<tuner::Evaluation>> KernelEvaluator::retime(std::span<const LaunchConfig> configs, std::stop_token /*stop*/) {
  const Protocol protocol = to_the_end();
  std::vector<KernelOrder> orders;
  for (const LaunchConfig& config : configs) orders.push_back({&graph_, config});
  const auto kernels = builder_.make(orders);
  std::vector<CompiledKernel> kept;
  for (const Result<CompiledKernel>& kernel : kernels) {
    if (kernel.ok()) kept.push_back(kernel.value());
  }
  FL_TRY_VOID(builder_.keep(kept, /*with_binaries=*/true));
  FL_TRY(auto records, measurer_.measure(candidates_of(orders, kernels), protocol, Freshness::kFreshProcess));
  std::vector<tuner::Evaluation> evaluations;
  for (std::size_t index = 0; index < records.size(); ++index)
    evaluations.push_back({configs[index], std::move(records[index].result), records[index].id, false});
  return evaluations;
}

// Looks stored trials up, for which the identities are enough.
Status KernelEvaluator::take_stored(const std::vector<tuner::Evaluation*>& evaluations) {
  std::vector<KernelOrder> orders;
  for (const tuner::Evaluation* const evaluation : evaluations) orders.push_back({&graph_, evaluation->config});
  const std::vector<Candidate> candidates = candidates_of(orders, builder_.identify(orders));
  for (std::size_t index = 0; index < evaluations.size(); ++index) {
    FL_TRY(auto stored, measurer_.find_stored(std::span(&candidates[index], 1), protocol_));
    if (stored.empty()) continue;
    evaluations[index]->result = std::move(stored.front().result);
    evaluations[index]->trial_id = stored.front().id;
    evaluations[index]->reused = true;
  }
  return {};
}

std::vector<Candidate> KernelEvaluator::candidates_of(const std::vector<KernelOrder>& orders,
                                                      const std::vector<Result<CompiledKernel>>& kernels) {
  std::vector<Candidate> candidates;
  for (std::size_t index = 0; index < orders.size(); ++index) {
    candidates.push_back(single_kernel_candidate(*graph_.graph, graph_.key, name_, orders[index].config, kernels[index]));
    candidates.back().generation = graph_.generation;
    if (kernels[index].ok()) continue;
    // A kernel that does not compile still has its identity, under which its outcome is found again.
    const auto named = builder_.identify({orders[index]}).front();
    if (named.ok()) candidates.back().kernel_keys = {named.value().kernel_id()};
  }
  return candidates;
}

// Remembers the best, so that later candidates that are much slower need not be timed to the end.
void KernelEvaluator::remember_best_of(std::span<const tuner::Evaluation> evaluations) {
  for (const tuner::Evaluation& evaluation : evaluations) {
    if (evaluation.result.outcome != Outcome::kTimed) continue;
    const double median_ns = summarize(evaluation.result.samples).median;
    double& best_ns = protocol_.best_before.count;
    best_ns = best_ns > 0 ? std::min(best_ns, median_ns) : median_ns;
    protocol_.launch_timeout = patience_beside(best_ns);
  }
}

}  // namespace fuselab::engine
