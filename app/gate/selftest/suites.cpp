// SPDX-License-Identifier: Apache-2.0
#include "app/gate/selftest/suites.h"

#include <algorithm>
#include <cmath>

#include "app/gate/judge/judgement.h"
#include "core/base/random.h"
#include "core/stats/false_discovery.h"

namespace fuselab::engine {
namespace {

constexpr int kOfSession = 25;

// The part of a comparison that matters to a suite.
struct Member {
  double p = 1;
  bool slower = false;
  bool undecided = false;
};
using Run = std::vector<Member>;

Member member_of(const SelftestTrial& trial, double margin) {
  if (!trial.judged()) return {1, false, true};
  const Verdict verdict = trial.first.result.verdict;
  const bool settled = trial.confirmation && contradicts(trial.confirmation->result, verdict, margin);
  const bool undecided = verdict == Verdict::kInconclusive || (trial.alarmed() && !settled);
  return {p_confirmed(verdict, trial.confirmation), verdict == Verdict::kRegressed, undecided};
}

std::vector<Run> sessions_of(const std::vector<SelftestTrial>& trials, double margin) {
  std::vector<Run> sessions;
  int slice = 0;
  for (const SelftestTrial& trial : trials) {
    if (trial.slowdown != 0) continue;
    const bool begins = sessions.empty() || trial.slice != slice || sessions.back().size() == static_cast<std::size_t>(kOfSession);
    if (begins) sessions.emplace_back();
    slice = trial.slice;
    sessions.back().push_back(member_of(trial, margin));
  }
  return sessions;
}

enum class Colour { kGreen, kUndecided, kRed };

Colour colour_of(const Run& suite) {
  std::vector<double> p_values;
  p_values.reserve(suite.size());
  for (const Member& member : suite) p_values.push_back(member.p);
  const std::vector<bool> stands = false_discovery_control(p_values, kFalseDiscoveryRate);
  bool undecided = false;
  for (std::size_t i = 0; i < suite.size(); ++i) {
    if (stands[i] && suite[i].slower) return Colour::kRed;
    undecided = undecided || (suite[i].undecided && !stands[i]);
  }
  return undecided ? Colour::kUndecided : Colour::kGreen;
}

// Returns whether this session alone turns a suite red, with nothing in the suite's other sessions. A session that is longer than a
// suite makes several.
bool is_red_alone(const Run& session, std::size_t suite_size) {
  for (std::size_t from = 0; from < session.size(); from += suite_size) {
    const std::size_t to = std::min(session.size(), from + suite_size);
    Run suite(session.begin() + static_cast<std::ptrdiff_t>(from), session.begin() + static_cast<std::ptrdiff_t>(to));
    suite.resize(suite_size);
    if (colour_of(suite) == Colour::kRed) return true;
  }
  return false;
}

}  // namespace

Result<SuiteRates> resample_suites(const StoredSelftest& stored, int suites, std::uint64_t seed) {
  const std::vector<Run> sessions = sessions_of(stored.trials, stored.spec.rule.margin);
  std::size_t held = 0;
  for (const Run& session : sessions) held += session.size();
  const auto size = static_cast<std::size_t>(stored.spec.suite);
  if (held < size || size == 0) {
    return invalid_argument("the record holds " + std::to_string(held) +
                            " comparisons of identical sides; a suite of its confirmations takes " + std::to_string(size));
  }
  SuiteRates rates;
  rates.suites = suites;
  rates.comparisons = stored.spec.suite;
  rates.sessions = static_cast<int>(sessions.size());
  rates.of_session = kOfSession;
  rates.red_sessions.trials = rates.sessions;
  for (const Run& session : sessions) rates.red_sessions.events += is_red_alone(session, size) ? 1 : 0;
  SeededRandom random(seed);
  std::size_t drawn = 0;
  for (int i = 0; i < suites; ++i) {
    Run suite;
    while (suite.size() < size) {
      const Run& session = sessions[random.below(sessions.size())];
      suite.insert(suite.end(), session.begin(), session.end());
      ++drawn;
    }
    suite.resize(size);
    const Colour colour = colour_of(suite);
    rates.red.events += colour == Colour::kRed ? 1 : 0;
    rates.undecided.events += colour == Colour::kUndecided ? 1 : 0;
  }
  rates.red.trials = rates.undecided.trials = suites;
  // Sessions differ in length, so suites differ in how many they take: a little more than by the mean length, where the last one is
  // cut.
  const double by_length = static_cast<double>(size) / (static_cast<double>(held) / static_cast<double>(sessions.size()));
  rates.sessions_of_suite = std::max(std::ceil(by_length), static_cast<double>(drawn) / std::max(suites, 1));
  rates.red_bound_of_record = 1 - std::pow(1 - rates.red_sessions.upper_bound(), rates.sessions_of_suite);
  return rates;
}

}  // namespace fuselab::engine
