// SPDX-License-Identifier: Apache-2.0
#include "core/measure/timer_cost.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/measure/plan.h"
#include "core/stats/statistics.h"

namespace fuselab {
namespace {

// Clocks that count in doubles tell differences that are none.
constexpr double kNoDifference = 1e-3;  // ns

double least_difference(std::vector<double> sorted) {
  double least = 0;
  for (std::size_t i = 1; i < sorted.size(); ++i) {
    const double difference = sorted[i] - sorted[i - 1];
    if (difference > kNoDifference && (least == 0 || difference < least)) least = difference;
  }
  return least;
}

}  // namespace

TimerCost timer_cost(std::span<const Timing> timings_of_nothing) {
  TimerCost cost;
  std::vector<double> durations;
  for (const Timing& timing : timings_of_nothing) {
    if (timing.source != timings_of_nothing.front().source || !std::isfinite(timing.duration.count) || timing.duration.count < 0) {
      cost.unknown = "the device returned an invalid time";
      return cost;
    }
    durations.push_back(timing.duration.count);
  }
  if (durations.empty()) return cost;
  std::sort(durations.begin(), durations.end());
  cost.source = timings_of_nothing.front().source;
  cost.overhead = {summarize(durations).median};
  cost.resolution = {least_difference(durations)};
  cost.timings = static_cast<int>(durations.size());
  return cost;
}

double times_the_timer(const TimerCost& timer, Nanoseconds sample) {
  const double unit = std::max(timer.overhead.count, timer.resolution.count);
  return timer.timings == 0 || unit <= 0 ? 0 : sample.count / unit;
}

std::string too_short_for_timer(const TimerCost& timer, const PlanResult& result) {
  if (result.samples.empty() || result.source != timer.source) return {};
  const Nanoseconds sample{summarize(result.samples).median * result.inner_repetitions};
  const double times = times_the_timer(timer, sample);
  if (times == 0 || times >= kEnoughTimes) return {};
  return "a sample of " + format_duration(sample) + " is " + std::to_string(std::lround(times)) + " times its timer's " +
         format_duration({std::max(timer.overhead.count, timer.resolution.count)});
}

std::string timer_text(const TimerCost& timer) {
  if (timer.timings == 0) return "unknown" + (timer.unknown.empty() ? "" : ": " + timer.unknown);
  const std::string resolution = timer.resolution.count > 0 ? ", resolution " + format_duration(timer.resolution) : "";
  return format_duration(timer.overhead) + " overhead (" + std::string(name_of(timer.source)) + " clock" + resolution + ", " +
         std::to_string(timer.timings) + " empty timings)";
}

}  // namespace fuselab
