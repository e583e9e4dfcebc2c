// SPDX-License-Identifier: Apache-2.0
#include "app/gate/check/case_plans.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "app/gate/judge/historical.h"
#include "app/gate/judge/lost_device.h"

namespace fuselab::engine {
namespace {

constexpr double kMostMore = 3;     // times the case's own budget
constexpr double kLeastMore = 0.1;  // less is not worth a process
constexpr int kMostPasses = 4;

bool is_open(const CheckedCase& each) {
  return each.first && each.past.empty() && each.first->fitness().ok() && each.first->result.verdict == Verdict::kInconclusive;
}

// Returns whether anything was measured.
bool spend_once(std::vector<CheckedCase>& cases, CasePlans& plans, const std::stop_token& stop) {
  double left = 0;
  const auto open = std::ranges::count_if(cases, is_open);
  for (const CheckedCase& each : cases) {
    if (each.first && each.past.empty()) left += each.rule.budget.count - each.first->result.spent.count;
  }
  bool measured = false;
  for (std::size_t place = 0; place < cases.size() && !stop.stop_requested(); ++place) {
    CheckedCase& each = cases[place];
    if (!is_open(each)) continue;
    const double most = (1 + kMostMore) * each.rule.budget.count - each.first->result.spent.count;
    const double more = std::min(left / static_cast<double>(open), most);
    if (more < kLeastMore * each.rule.budget.count) continue;
    const auto start = std::chrono::steady_clock::now();
    const ComparisonResult& before = each.first->result;
    ComparisonRule rule = each.rule;
    rule.budget.count = before.spent.count + more;
    rule.most_processes = before.processes + static_cast<int>(std::ceil(rule.most_processes * more / each.rule.budget.count));
    std::string output;
    auto made = plans.more(place, rule, output, *each.first);
    if (made.ok() && made.value().fitness().ok()) {
      each.first = std::move(made).value();
      measured = true;
    }
    each.outcome.wall_seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  }
  return measured;
}

}  // namespace

Result<Replay> CasePlans::measured(const ReplaySpec& replay, std::span<const RunSamples> past, Replay begun, ComparedSide* failed) {
  auto made = past.empty() ? replay_in_pairs(workers_, replay, stop_, failed, std::move(begun))
                           : measure_beside_past(workers_, replay, past, stop_);
  if (made.ok()) return made;
  return blamed(workers_, replay, made.error(), stop_);
}

Result<Replay> CasePlans::compare(std::size_t place, ReplaySpec replay, std::span<const RunSamples> past, ComparedSide& failed) {
  FL_TRY(Replay made, measured(replay, past, {}, &failed));
  replays_[place] = std::move(replay);
  return made;
}

Result<Replay> CasePlans::compare(std::size_t place, CommandPair pair, CommandTrouble& trouble) {
  FL_TRY_VOID(build_commands(pair, stop_, trouble));
  FL_TRY(Replay made, compare_commands(pair, stop_, trouble));
  commands_[place] = std::move(pair);
  return made;
}

Result<Replay> CasePlans::again(std::size_t place, const ComparisonRule& rule, std::uint64_t seed, std::span<const RunSamples> past,
                                std::string& output, Replay begun) {
  const auto command = commands_.find(place);
  if (command == commands_.end()) {
    ReplaySpec replay = replays_[place];
    replay.rule = rule;
    replay.seed = seed;
    return measured(replay, past, std::move(begun), nullptr);
  }
  CommandPair pair = command->second;
  pair.rule = rule;
  pair.seed = seed;
  CommandTrouble trouble;
  auto made = compare_commands(pair, stop_, trouble, std::move(begun));
  output = std::move(trouble.output);
  return made;
}

Result<Replay> CasePlans::more(std::size_t place, const ComparisonRule& rule, std::string& output, Replay begun) {
  const auto command = commands_.find(place);
  const std::uint64_t seed = command == commands_.end() ? replays_[place].seed : command->second.seed;
  return again(place, rule, seed, {}, output, std::move(begun));
}

void spend_leftover(std::vector<CheckedCase>& cases, CasePlans& plans, const std::stop_token& stop) {
  // Cases that are decided by their part leave some of it to the others.
  for (int pass = 0; pass < kMostPasses; ++pass) {
    if (!spend_once(cases, plans, stop)) return;
  }
}

}  // namespace fuselab::engine
