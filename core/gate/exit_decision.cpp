// SPDX-License-Identifier: Apache-2.0
#include "core/gate/exit_decision.h"

#include <algorithm>
#include <iterator>

namespace fuselab {
namespace {

struct StateCode {
  CaseState state;
  std::string_view name;  // as --fail-on takes it
  int code;
  bool usual = true;             // it fails a run that does not say otherwise
  std::string_view within = {};  // a wider name that includes it
};
constexpr StateCode kCodes[] = {{CaseState::kRegressed, "regressed", 1},
                                {CaseState::kWrongResult, "wrong-result", 7},
                                {CaseState::kFailed, "failed", 3},
                                {CaseState::kMisconfigured, "misconfigured", 2},
                                {CaseState::kNoBaseline, "no-baseline", 5},
                                {CaseState::kUntrusted, "untrusted", 5, true, "no-baseline"},
                                {CaseState::kExpired, "expired", 5, true, "no-baseline"},
                                {CaseState::kRenamed, "renamed", 5},
                                {CaseState::kNew, "new", 5, false},
                                {CaseState::kUnfit, "unfit", 6},
                                {CaseState::kInsensitive, "insensitive", 4, true, "inconclusive"},
                                {CaseState::kInconclusive, "inconclusive", 4, false}};

std::string known_names() {
  std::string names;
  for (const StateCode& each : kCodes) names += std::string(each.name) + ", ";
  return names + "or none";
}

}  // namespace

FailOn usual_fail_on() {
  FailOn all;
  for (const StateCode& each : kCodes) {
    if (each.usual) all.push_back(each.state);
  }
  return all;
}

Result<FailOn> parse_fail_on(std::span<const std::string> names) {
  FailOn chosen;
  if (names.size() == 1 && names.front() == "none") return chosen;
  for (const std::string& name : names) {
    const auto* const found =
        std::find_if(std::begin(kCodes), std::end(kCodes), [&](const StateCode& each) { return each.name == name; });
    if (found == std::end(kCodes)) return invalid_argument("'" + name + "' fails no run; these may: " + known_names());
    for (const StateCode& each : kCodes) {
      if (&each == found || each.within == found->name) chosen.push_back(each.state);
    }
  }
  return chosen;
}

std::vector<std::string> words_of(const FailOn& fail_on) {
  std::vector<std::string> words;
  const auto has = [&](const StateCode& each) { return std::find(fail_on.begin(), fail_on.end(), each.state) != fail_on.end(); };
  for (const StateCode& each : kCodes) {
    const auto* const wider =
        std::find_if(std::begin(kCodes), std::end(kCodes), [&](const StateCode& other) { return other.name == each.within; });
    if (has(each) && (wider == std::end(kCodes) || !has(*wider))) words.emplace_back(each.name);
  }
  return words.empty() ? std::vector<std::string>{"none"} : words;
}

const CaseOutcome* decisive_case(const CheckReport& report, const FailOn& fail_on) {
  for (const std::size_t index : by_severity(report)) {
    const CaseOutcome& outcome = report.cases[index];
    if (std::find(fail_on.begin(), fail_on.end(), outcome.state) != fail_on.end()) return &outcome;
  }
  return nullptr;
}

int exit_code_of(const CheckReport& report, const FailOn& fail_on) {
  const CaseOutcome* const decisive = decisive_case(report, fail_on);
  if (decisive == nullptr) return 0;
  const auto* const entry =
      std::find_if(std::begin(kCodes), std::end(kCodes), [&](const StateCode& each) { return each.state == decisive->state; });
  return entry == std::end(kCodes) ? 0 : entry->code;
}

}  // namespace fuselab
