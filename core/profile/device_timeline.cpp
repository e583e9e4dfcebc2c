// SPDX-License-Identifier: Apache-2.0
#include "core/profile/device_timeline.h"

#include <algorithm>
#include <tuple>

namespace fuselab {
namespace {

double median_of(std::vector<double> values) {
  if (values.empty()) return 0;
  std::ranges::sort(values);
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

// Calls `take` with each span of work and the idle time before it; negative before the first.
template <typename Take>
void walk(const DeviceTrace& trace, const Take& take) {
  double until = -1;
  for (const DeviceSpan& span : trace.spans) {
    if (!span.is_work()) continue;
    take(span, until < 0 ? -1 : std::max(0.0, span.start_ns - until));
    until = std::max(until, span.start_ns + span.duration_ns);
  }
}

}  // namespace

std::vector<TracedStep> traced_steps(const DeviceTrace& trace) {
  struct Times {
    std::vector<double> durations, gaps;
  };
  std::vector<TracedStep> steps;
  std::vector<Times> times;
  walk(trace, [&](const DeviceSpan& span, double gap) {
    const auto is_same = [&](const TracedStep& each) {
      return std::tie(each.step, each.example.kind, each.example.label) == std::tie(span.step, span.kind, span.label);
    };
    const auto found = std::ranges::find_if(steps, is_same);
    const auto index = static_cast<std::size_t>(found - steps.begin());
    if (found == steps.end()) {
      steps.push_back({span.step, span});
      times.emplace_back();
    }
    times[index].durations.push_back(span.duration_ns);
    if (gap >= 0) times[index].gaps.push_back(gap);
  });
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const auto [least, most] = std::ranges::minmax(times[i].durations);
    steps[i].seen = static_cast<int>(times[i].durations.size());
    steps[i].least_ns = least;
    steps[i].most_ns = most;
    steps[i].median_ns = median_of(times[i].durations);
    steps[i].gap_ns = median_of(times[i].gaps);
  }
  return steps;
}

TracedShare traced_share(const DeviceTrace& trace) {
  TracedShare share;
  double first = -1, last = 0;
  walk(trace, [&](const DeviceSpan& span, double gap) {
    if (first < 0) first = span.start_ns;
    last = std::max(last, span.start_ns + span.duration_ns);
    share.idle_ns += std::max(0.0, gap);
    share.longest_gap_ns = std::max(share.longest_gap_ns, gap);
  });
  if (first >= 0) share.busy_ns = last - first - share.idle_ns;
  for (const DeviceSpan& span : trace.spans) {
    if (span.kind == "overhead") share.overhead_ns += span.duration_ns;
  }
  return share;
}

}  // namespace fuselab
