// SPDX-License-Identifier: Apache-2.0
#include "core/select/gain_verdict.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numbers>

namespace fuselab {
namespace {

// Quantiles of the normal distribution for intervals of 99 % and 95 %.
constexpr double kHalfWidthOfProcesses = 2.5758;
constexpr double kHalfWidthOfOne = 1.9600;

}  // namespace

std::string_view name_of(GainVerdict verdict) {
  switch (verdict) {
    case GainVerdict::kGains: return "gains";
    case GainVerdict::kLoses: return "loses";
    case GainVerdict::kSame: return "same";
    case GainVerdict::kUndecided: return "undecided";
  }
  return "undecided";
}

GainVerdict verdict_on(const Ratio& gain) {
  if (gain.interval.low > 1) return GainVerdict::kGains;
  if (gain.interval.high < 1) return GainVerdict::kLoses;
  const bool same = gain.interval.low >= 1 / (1 + kSameMargin) && gain.interval.high <= 1 + kSameMargin;
  return same ? GainVerdict::kSame : GainVerdict::kUndecided;
}

double chance_of_gain(const Ratio& gain, int processes) {
  const double width = std::log(gain.interval.high) - std::log(gain.interval.low);
  const double deviation = width / (2 * (processes > 1 ? kHalfWidthOfProcesses : kHalfWidthOfOne));
  const double at = std::log(gain.value) / deviation;
  return std::isfinite(at) && deviation > 0 ? 0.5 * std::erfc(-at / std::numbers::sqrt2) : 0.5;
}

int processes_to_decide(const Ratio& gain, int processes) {
  if (verdict_on(gain) != GainVerdict::kUndecided) return 0;
  if (processes <= 1) return kLeastToDecide;
  const double half = (std::log(gain.interval.high) - std::log(gain.interval.low)) / 2;
  const double needed = std::max(std::abs(std::log(gain.value)), std::log(1 + kSameMargin));
  const double more = std::ceil(processes * (half * half / (needed * needed) - 1));
  return std::isfinite(more) ? static_cast<int>(std::clamp(more, 1.0, 1.0 * kMostToDecide)) : kMostToDecide;
}

std::string gain_words(const Ratio& gain, int processes) {
  switch (verdict_on(gain)) {
    case GainVerdict::kGains: return "fusing gains";
    case GainVerdict::kLoses: return "fusing loses";
    case GainVerdict::kSame: return "fused and unfused are the same within 1 %";
    case GainVerdict::kUndecided: break;
  }
  const double chance = chance_of_gain(gain, processes);
  char text[64];
  std::snprintf(text, sizeof text, "undecided, %.0f %% sure that fusing %s", 100 * std::max(chance, 1 - chance),
                chance >= 0.5 ? "gains" : "loses");
  return text;
}

std::string deciding_words(const Ratio& gain, int processes) {
  const int more = processes_to_decide(gain, processes);
  if (more == 0) return "";
  const char* const how = processes <= 1 ? "at least " : more >= kMostToDecide ? "more than " : "about ";
  return std::string("deciding takes ") + how + std::to_string(more) + " more process" + (more == 1 ? "" : "es") + " (--decide)";
}

}  // namespace fuselab
