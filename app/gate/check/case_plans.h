// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "app/engine/workers/worker_pool.h"
#include "app/gate/commands/command_pair.h"
#include "app/gate/judge/judgement.h"

namespace fuselab::engine {

// What each case of a run compares, kept so that a case can be measured on, or once more. A case is named by its place in the run.
// Used by one thread.
class CasePlans {
 public:
  CasePlans(WorkerPool& workers, std::stop_token stop) : workers_(workers), stop_(std::move(stop)) {}

  void add_case() { replays_.emplace_back(); }  // the next place; it compares nothing yet
  // Compares two plans; `past` as in CheckedCase. On failure `failed` says whose it was. What was compared stays, to be measured
  // again.
  Result<Replay> compare(std::size_t place, ReplaySpec replay, std::span<const RunSamples> past, ComparedSide& failed);
  // Builds and compares two commands.
  Result<Replay> compare(std::size_t place, CommandPair pair, CommandTrouble& trouble);
  // Measures a case again in processes of its own or, where `begun` has processes, adds more to them. After a failure `output` has
  // what a command wrote.
  Result<Replay> again(std::size_t place, const ComparisonRule& rule, std::uint64_t seed, std::span<const RunSamples> past,
                       std::string& output, Replay begun = {});
  // Does so in the order of the first comparison.
  Result<Replay> more(std::size_t place, const ComparisonRule& rule, std::string& output, Replay begun);

  // One per case; of a case that is a command, or that was not compared, its device has no name.
  std::span<const ReplaySpec> replays() const { return replays_; }

 private:
  Result<Replay> measured(const ReplaySpec& replay, std::span<const RunSamples> past, Replay begun, ComparedSide* failed);

  WorkerPool& workers_;
  std::stop_token stop_;
  std::vector<ReplaySpec> replays_;
  std::map<std::size_t, CommandPair> commands_;
};

// Measures the inconclusive cases on, with what the decided ones left of their budgets. Each gets an equal part, at most three
// times its own budget, and what is left of that goes round again. Comparison spends it on rounds or on processes, where the
// variance lies. The interval may be looked at at any time, so measuring on is no second chance. A case whose further processes
// fail stays as it was.
void spend_leftover(std::vector<CheckedCase>& cases, CasePlans& plans, const std::stop_token& stop);

}  // namespace fuselab::engine
