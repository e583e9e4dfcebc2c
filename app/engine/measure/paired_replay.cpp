// SPDX-License-Identifier: Apache-2.0
#include "app/engine/measure/paired_replay.h"

#include <algorithm>
#include <utility>

#include "app/engine/measure/process_samples.h"

namespace fuselab::engine {
namespace {

// Returns whether the candidate is loaded, verified and warmed up before the baseline, as it is in every other process. Any
// advantage of being first (memory, a place for its code) would otherwise always go to the same side, and no number of processes
// would show it.
bool candidate_first(std::size_t process) {
  return process % 2 == 1;
}

Block block_of(const ReplaySpec& spec, int rounds, std::size_t process) {
  Block block;
  block.device = spec.device.id;
  block.plans = {spec.baseline, spec.candidate};
  if (candidate_first(process)) std::swap(block.plans[0], block.plans[1]);
  block.protocol = spec.protocol;
  block.comes_again = spec.fresh_processes;
  block.protocol.samples = rounds;
  block.protocol.most_samples = 0;
  block.protocol.drop_factor = 0;  // both sides must be timed to the end to be compared
  block.protocol.order_seed = spec.seed + 0x9e3779b97f4a7c15ULL * (process + 1);
  // Where the rounds take longer than the whole comparison may, they are cut short.
  block.protocol.budget = {spec.rule.budget.count / (2 * spec.rule.least_processes)};
  return block;
}

// Takes the samples of a measured block. Scripted times are never disturbed.
Result<ReplayedProcess> process_of(const MeasuredBlock& measured, bool scripted, ComparedSide* failed) {
  ReplayedProcess process;
  // The candidate first, so that a failure of the baseline does not hide one of the candidate.
  for (const ComparedSide side : {ComparedSide::kCandidate, ComparedSide::kBaseline}) {
    const Status timed = check_timed(measured.plans.at(side == ComparedSide::kBaseline ? 0 : 1), side);
    if (!timed.ok() && failed != nullptr) *failed = side;
    FL_TRY_VOID(timed);
  }
  for (const PlanResult& plan : measured.plans) process.spent.count += kept_spent(plan.timing).count;
  process.disturbed = scripted ? "" : disturbance_of(measured);
  process.samples = {measured.plans.at(0).samples, measured.plans.at(1).samples};
  process.conditions = kept_conditions(measured.conditions);
  // A clock that jumped says nothing about any kernel. The samples are dropped, since no record can hold such numbers, and the
  // process counts as disturbed.
  std::string impossible = impossible_in(process.samples.candidate);
  if (impossible.empty()) impossible = impossible_in(process.samples.baseline);
  if (!impossible.empty()) {
    process.disturbed = std::move(impossible);
    process.samples = {};
  }
  // The slower side may have spent its budget a round earlier.
  const std::size_t rounds = std::min(process.samples.baseline.size(), process.samples.candidate.size());
  process.samples.baseline.resize(rounds);
  process.samples.candidate.resize(rounds);
  process.grid = SampleGrid::of(process.samples);
  process.samples = process.grid.rounded(std::move(process.samples));
  return process;
}

}  // namespace

Result<Comparison> comparison_of(const std::vector<ReplayedProcess>& processes, const ComparisonRule& rule) {
  Comparison comparison(rule);
  for (const ReplayedProcess& process : processes) {
    if (process.disturbed.empty()) FL_TRY_VOID(comparison.tell(process.samples, process.spent));
  }
  return comparison;
}

int Replay::disturbed() const {
  return static_cast<int>(
      std::count_if(processes.begin(), processes.end(), [](const ReplayedProcess& process) { return !process.disturbed.empty(); }));
}

Status Replay::fitness() const {
  if (processes.empty()) return {};
  return check_fitness(disturbed(), processes.size(), processes.back().disturbed);
}

Result<Replay> replay_in_pairs(WorkerPool& workers, const ReplaySpec& given, std::stop_token stop, ComparedSide* failed,
                               Replay begun) {
  FL_TRY(Comparison comparison, comparison_of(begun.processes, given.rule));
  Replay replay = std::move(begun);
  ReplaySpec spec = given;
  while (const auto rounds = comparison.next_rounds()) {
    if (stop.stop_requested()) return Error{ErrorCode::kCancelled, "cancelled"};
    const bool first = replay.processes.empty();
    const std::size_t process_number = replay.processes.size();
    const Block block = block_of(spec, *rounds, process_number);
    FL_TRY(MeasuredBlock measured, spec.fresh_processes
                                       ? workers.measure_fresh(spec.device, block, stop, first && spec.special_inputs)
                                       : workers.measure(spec.device, block, stop));
    if (candidate_first(process_number)) std::swap(measured.plans.at(0), measured.plans.at(1));
    FL_TRY(ReplayedProcess process, process_of(measured, !spec.fresh_processes, failed));
    spec.baseline.matched = measured.plans.at(0).matched;
    spec.candidate.matched = measured.plans.at(1).matched;
    if (process.disturbed.empty()) FL_TRY_VOID(comparison.tell(process.samples, process.spent));
    replay.processes.push_back(std::move(process));
    if (!replay.fitness().ok()) return replay;
  }
  replay.result = comparison.result();
  return replay;
}

Result<ComparisonResult> verdict_of(const std::vector<ReplayedProcess>& processes, const ComparisonRule& rule) {
  FL_TRY(const Comparison comparison, comparison_of(processes, rule));
  return comparison.result();
}

}  // namespace fuselab::engine
