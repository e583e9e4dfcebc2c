// SPDX-License-Identifier: Apache-2.0
#include "app/gate/commands/command_pair.h"

#include <algorithm>
#include <thread>
#include <utility>

#include "app/engine/measure/process_samples.h"
#include "app/gate/commands/command_run.h"
#include "core/base/random.h"
#include "core/measure/disturbance.h"
#include "core/platform/machine/machine.h"
#include "core/platform/system/clock.h"

namespace fuselab::engine {
namespace {

constexpr double kBuildSeconds = 3600;
constexpr int kMostBlocks = 100;

Error said_by(const CommandCase& of, const CommandLine& line, const Error& error) {
  return {error.code, "`" + line.text() + "`" + (of.folder.empty() ? "" : " in " + of.folder.string()) + ": " + error.message};
}

class Runner {
 public:
  Runner(const CommandPair& pair, const std::stop_token& stop, CommandTrouble& trouble)
      : pair_(pair), stop_(stop), trouble_(trouble) {}

  // Runs one side and returns its time; adds to the time of the block.
  Result<double> run(ComparedSide side) {
    const CommandCase& of = side == ComparedSide::kBaseline ? pair_.baseline : pair_.candidate;
    FL_TRY(const CommandRun ran, run_command(of, of.command, pair_.candidate.time, of.timeout_seconds, stop_));
    if (ran.problem) {
      trouble_ = {side, ran.output};
      return said_by(of, of.command, *ran.problem);
    }
    spent_.count += ran.wall.count;
    return ran.time.count * (side == ComparedSide::kCandidate ? 1 + pair_.handicap : 1);
  }

  Result<ReplayedProcess> block(std::size_t number) {
    ReplayedProcess process;
    spent_ = {};
    const platform::ContentionCounters before = platform::contention_counters();
    const Nanoseconds start = platform::monotonic_now();
    SeededRandom random(pair_.seed + 0x9e3779b97f4a7c15ULL * (number + 1));
    bool candidate_first = false;
    for (int i = 0; i < kRunsOfBlock; ++i) {
      // Rounds 2i and 2i+1 have opposite orders.
      candidate_first = i % 2 == 0 ? random.below(2) == 1 : !candidate_first;
      for (const bool candidate : {candidate_first, !candidate_first}) {
        FL_TRY(const double time, run(candidate ? ComparedSide::kCandidate : ComparedSide::kBaseline));
        (candidate ? process.samples.candidate : process.samples.baseline).push_back(time);
      }
    }
    const platform::ContentionCounters after = platform::contention_counters();
    const platform::Activity activity = platform::activity();
    BlockConditions& conditions = process.conditions;
    conditions.wall_seconds = Nanoseconds{platform::monotonic_now().count - start.count}.seconds();
    // A command may use them all, and what a hypervisor took is counted over all of them.
    conditions.threads = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
    conditions.steal_seconds = after.steal_seconds - before.steal_seconds;
    conditions.throttled_seconds = after.throttled_seconds - before.throttled_seconds;
    conditions.load = activity.load;
    conditions.runnable = activity.runnable;
    conditions.clock_mhz = activity.clock_mhz;
    const std::string lost = disturbance_of_pairs(conditions);
    if (!lost.empty()) process.disturbed = "disturbed while timing: " + lost;
    process.spent = kept_spent(spent_);
    process.grid = SampleGrid::of(process.samples);
    process.samples = process.grid.rounded(std::move(process.samples));
    return process;
  }

 private:
  const CommandPair& pair_;
  std::stop_token stop_;
  CommandTrouble& trouble_;
  Nanoseconds spent_;
};

}  // namespace

ComparisonRule CommandPair::command_rule(ComparisonRule rule) {
  rule.first_rounds = kRunsOfBlock;
  rule.most_processes = kMostBlocks;
  rule.process_cost = 0;
  return rule;
}

Status build_commands(const CommandPair& pair, std::stop_token stop, CommandTrouble& trouble) {
  for (const CommandCase* const of : {&pair.baseline, &pair.candidate}) {
    const bool built = of == &pair.candidate && of->folder == pair.baseline.folder && pair.baseline.build.is_set();
    if (!of->build.is_set() || built) continue;
    FL_TRY(const CommandRun ran, run_command(*of, of->build, CommandTime::kWhole, kBuildSeconds, stop));
    if (!ran.problem) continue;
    trouble = {of == &pair.baseline ? ComparedSide::kBaseline : ComparedSide::kCandidate, ran.output};
    return Error{ran.problem->code, "the build failed: " + said_by(*of, of->build, *ran.problem).message};
  }
  return {};
}

Result<Replay> compare_commands(const CommandPair& pair, std::stop_token stop, CommandTrouble& trouble, Replay begun) {
  FL_TRY(Comparison comparison, comparison_of(begun.processes, pair.rule));
  Replay replay = std::move(begun);
  Runner runner(pair, stop, trouble);
  for (const ComparedSide side : {ComparedSide::kCandidate, ComparedSide::kBaseline}) FL_TRY_VOID(runner.run(side));
  while (comparison.next_rounds()) {
    if (stop.stop_requested()) return Error{ErrorCode::kCancelled, "cancelled"};
    FL_TRY(ReplayedProcess process, runner.block(replay.processes.size()));
    if (process.disturbed.empty()) FL_TRY_VOID(comparison.tell(process.samples, process.spent));
    replay.processes.push_back(std::move(process));
    if (!replay.fitness().ok()) return replay;
  }
  replay.result = comparison.result();
  return replay;
}

}  // namespace fuselab::engine
