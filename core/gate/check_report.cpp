// SPDX-License-Identifier: Apache-2.0
#include "core/gate/check_report.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>

namespace fuselab {
namespace {

struct StateName {
  CaseState state;
  std::string_view name;
  int severity;  // 0 is the worst
};
constexpr StateName kStates[] = {
    {CaseState::kSame, "same", 15},
    {CaseState::kImproved, "improved", 12},
    {CaseState::kEquivalent, "equivalent", 14},
    {CaseState::kUnconfirmed, "unconfirmed", 11},
    {CaseState::kNew, "new", 13},
    {CaseState::kRegressed, "regressed", 0},
    {CaseState::kInconclusive, "inconclusive", 10},
    {CaseState::kInsensitive, "insensitive", 9},
    {CaseState::kNoBaseline, "no baseline", 4},
    {CaseState::kUntrusted, "untrusted", 5},
    {CaseState::kExpired, "expired", 6},
    {CaseState::kRenamed, "renamed", 7},
    {CaseState::kUnfit, "unfit", 8},
    {CaseState::kWrongResult, "wrong result", 1},
    {CaseState::kFailed, "failed", 2},
    {CaseState::kMisconfigured, "misconfigured", 3},
};

const StateName& entry_of(CaseState state) {
  return *std::find_if(std::begin(kStates), std::end(kStates), [&](const StateName& entry) { return entry.state == state; });
}

double change_of(const CaseOutcome& outcome) {
  const double ratio = outcome.comparison ? outcome.comparison->ratio : 1;
  return ratio > 0 && std::isfinite(ratio) ? std::abs(std::log(ratio)) : 0;
}

}  // namespace

std::string_view name_of(CaseState state) {
  return entry_of(state).name;
}

Result<CaseState> parse_case_state(std::string_view name) {
  for (const StateName& entry : kStates) {
    if (entry.name == name) return entry.state;
  }
  return Error{ErrorCode::kInvalidArgument, "no case ends as '" + std::string(name) + "'"};
}

std::vector<std::size_t> by_severity(const CheckReport& report) {
  std::vector<std::size_t> order(report.cases.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t left, std::size_t right) {
    const CaseOutcome &a = report.cases[left], &b = report.cases[right];
    const int severity_a = entry_of(a.state).severity, severity_b = entry_of(b.state).severity;
    return severity_a != severity_b ? severity_a < severity_b : change_of(a) > change_of(b);
  });
  return order;
}

}  // namespace fuselab
