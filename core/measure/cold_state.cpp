// SPDX-License-Identifier: Apache-2.0
#include "core/measure/cold_state.h"

#include <cmath>
#include <string_view>
#include <vector>

#include "core/base/formatted.h"
#include "core/stats/statistics.h"

namespace fuselab {
namespace {

constexpr std::string_view kCold = "cold: ";
constexpr std::string_view kNotCold = "not cold: ";
constexpr std::string_view kUnverified = "cold, unverified: ";

double median_of(std::span<const ColdRead> reads, double ColdRead::*member) {
  std::vector<double> values;
  for (const ColdRead& read : reads) values.push_back(read.*member);
  return summarize(values).median;
}

// Returns the median share that stays warm. Each emptying counts by itself, since memory is not as fast in one millisecond as in
// the next.
double still_warm(std::span<const ColdRead> reads) {
  std::vector<double> shares;
  for (const ColdRead& read : reads) {
    if (read.memory > read.warm) shares.push_back((read.memory - read.after) / (read.memory - read.warm));
  }
  return summarize(shares).median;
}

std::string times_of(std::span<const ColdRead> reads) {
  return formatted("%.3g ns, from memory %.3g ns, from the caches %.3g ns; medians of %zu", median_of(reads, &ColdRead::after),
                   median_of(reads, &ColdRead::memory), median_of(reads, &ColdRead::warm), reads.size());
}

}  // namespace

ColdState cold_unverified(const std::string& why) {
  return {ColdState::Kind::kUnverified, std::string(kUnverified) + why};
}

ColdState judge_cold(std::span<const ColdRead> reads, const std::string& what) {
  if (reads.empty()) return cold_unverified("no caches were emptied");
  const double warm = median_of(reads, &ColdRead::warm), memory = median_of(reads, &ColdRead::memory);
  const std::string times = times_of(reads);
  if (!(memory >= kLeastContrast * warm))
    return cold_unverified("a line of memory is read as fast as one of the caches here (after " + what + " " + times + ")");
  const double share = still_warm(reads);
  if (share <= kMostStillWarm)
    return {ColdState::Kind::kCold, std::string(kCold) + "after " + what + " a marked line took " + times};
  const std::string percent = std::to_string(std::lround(100 * share)) + " %";
  return {ColdState::Kind::kWarm, std::string(kNotCold) + what + " left " + percent +
                                      " of what was marked in the caches (a line then took " + times + "): no figure is kept"};
}

void note_cold(PlanResult& result, const ColdState& state) {
  if (result.outcome != Outcome::kTimed && result.outcome != Outcome::kDropped) return;
  if (state.kind == ColdState::Kind::kWarm) {
    result.outcome = Outcome::kSkipped;
    result.reason = state.text;
    result.samples.clear();
    return;
  }
  std::string& detail = result.verification.detail;
  detail += (detail.empty() ? "" : "; ") + state.text;
}

std::string why_unverified(const PlanResult& result) {
  const std::string_view skipped = "cold, ";
  const std::size_t begin = result.verification.detail.find(kUnverified);
  return begin == std::string::npos ? "" : result.verification.detail.substr(begin + skipped.size());
}

}  // namespace fuselab
