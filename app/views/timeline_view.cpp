// SPDX-License-Identifier: Apache-2.0
#include "app/views/timeline_view.h"

#include <algorithm>
#include <map>

#include "core/base/formatted.h"
#include "core/base/units.h"
#include "core/profile/vocabulary.h"

namespace fuselab::engine {
namespace {

constexpr const char* kOverflowed = "the device's buffer was full: what came later is missing";

constexpr std::size_t kShownStalls = 3;  // of an instruction

std::string time_words(double ns) {
  return format_duration({ns});
}

std::string percent(double share) {
  return formatted("%.*f %%", share < 0.1 ? 1 : 0, 100 * share);
}

std::string extents(const std::vector<int>& each) {
  std::string text;
  for (const int extent : each) text += (text.empty() ? "" : "×") + std::to_string(extent);
  return text.empty() ? "–" : text;
}

std::string what_words(const DeviceSpan& span) {
  if (span.kind == "kernel") return span.label;
  return (span.label == span.kind ? "" : span.kind + ", ") + span.label + ", " + format_bytes({span.bytes});
}

// "2 records were", "1 record was".
std::string were(std::int64_t count, const std::string& what) {
  return std::to_string(count) + " " + what + (count == 1 ? " was" : "s were");
}

std::string step_words(int step) {
  return step < 0 ? "–" : std::to_string(step + 1);
}

std::string runs_words(int runs) {
  return std::to_string(runs) + (runs == 1 ? " run" : " runs") + " of the plan";
}

std::string value_words(const MetricInfo* info, double value) {
  if (info != nullptr && info->unit == "B") return format_bytes({static_cast<std::int64_t>(value)});
  return formatted("%.4g", value);
}

std::string stalls_words(const std::vector<StallCount>& stalls, std::int64_t samples) {
  std::string text;
  for (std::size_t i = 0; i < std::min(kShownStalls, stalls.size()); ++i) {
    text += (text.empty() ? "" : ", ") + stalls[i].stall + " " +
            percent(static_cast<double>(stalls[i].samples) / static_cast<double>(std::max<std::int64_t>(1, samples)));
  }
  return text;
}

}  // namespace

WordTable traced_words(const Profile& profile) {
  WordTable table{
      {"step", "on the device", "seen", "least", "median", "most", "idle before", "grid", "block", "registers", "shared"}, {}};
  for (const TracedStep& step : traced_steps(profile.trace)) {
    const DeviceSpan& span = step.example;
    const bool is_kernel = span.kind == "kernel";
    table.rows.push_back(
        {step_words(step.step), what_words(span), std::to_string(step.seen), time_words(step.least_ns), time_words(step.median_ns),
         time_words(step.most_ns), time_words(step.gap_ns), extents(span.grid), extents(span.block),
         is_kernel ? std::to_string(span.registers) : "–",
         is_kernel ? std::to_string(span.static_shared) + " + " + std::to_string(span.dynamic_shared) + " B" : "–"});
  }
  return table;
}

std::vector<std::string> traced_lines(const Profile& profile) {
  const DeviceTrace& trace = profile.trace;
  std::vector<std::string> lines;
  if (!trace.why_not.empty()) lines.push_back("not recorded: " + trace.why_not);
  if (trace.profiler.empty()) return lines;
  const TracedShare share = traced_share(trace);
  const double whole = share.busy_ns + share.idle_ns;
  std::string text = trace.profiler + ": " + runs_words(trace.runs);
  if (whole > 0)
    text += "; from the first to the last span, " + time_words(whole) + ", the device worked " + percent(share.busy_ns / whole) +
            ", and its longest idle time was " + time_words(share.longest_gap_ns);
  lines.push_back(text);
  if (trace.plain_ns > 0 && trace.runs > 0 && share.busy_ns > 0)
    lines.push_back("a run worked " + time_words(share.busy_ns / trace.runs) + " while it was recorded, and took " +
                    time_words(trace.plain_ns) + " before");
  if (share.overhead_ns > 0) lines.push_back("overhead of driver and profiler beside it: " + time_words(share.overhead_ns));
  if (trace.dropped > 0) lines.push_back(were(trace.dropped, "record") + " dropped: spans are missing");
  if (trace.untimed > 0) lines.push_back(were(trace.untimed, "record") + " without a time, and no span");
  const auto unknown = std::ranges::count_if(trace.spans, [](const DeviceSpan& span) { return span.is_work() && span.step < 0; });
  if (unknown > 0) lines.push_back(were(unknown, "span") + " joined to no launch of the plan");
  return lines;
}

WordTable series_words(const Profile& profile) {
  WordTable table{{"over the time of a launch", "least", "median", "most", "source"}, {}};
  for (const SeriesRow& row : profile.series.rows) {
    if (row.values.empty()) continue;
    std::vector<double> sorted = row.values;
    std::ranges::sort(sorted);
    const MetricInfo* const info = find_metric(row.name);
    table.rows.push_back({info == nullptr ? row.name : std::string(info->title), value_words(info, sorted.front()),
                          value_words(info, sorted[sorted.size() / 2]), value_words(info, sorted.back()), row.source});
  }
  return table;
}

std::vector<std::string> series_lines(const Profile& profile) {
  const DeviceSeries& series = profile.series;
  std::vector<std::string> lines;
  if (!series.why_not.empty()) lines.push_back("not sampled: " + series.why_not);
  if (series.profiler.empty()) return lines;
  lines.push_back(series.profiler + ": " + std::to_string(series.starts_ns.size()) + " intervals of " +
                  time_words(series.interval_ns) + " over " + runs_words(series.runs) + ", one pass of counters");
  if (series.overflowed) lines.emplace_back(kOverflowed);
  std::map<std::string, std::string> missing;  // metrics by reason
  for (const SeriesRow& row : series.rows) {
    if (!row.reason.empty()) missing[row.reason] += (missing[row.reason].empty() ? "" : ", ") + row.name;
  }
  for (const auto& [reason, names] : missing) lines.push_back("no " + names + ": " + reason);
  return lines;
}

WordTable stall_words(const Profile& profile, std::size_t most) {
  WordTable table{{"step", "function", "address", "line", "samples", "of all", "warps there", "instruction"}, {}};
  const DeviceSamples& sampled = profile.samples;
  for (std::size_t i = 0; i < std::min(most, sampled.places.size()); ++i) {
    const SampledPlace& place = sampled.places[i];
    const CodeLine* const code = profile.code.find(place.step, place.function, place.address);
    table.rows.push_back(
        {step_words(place.step), place.function, formatted("%llx", static_cast<unsigned long long>(place.address)),
         place.line > 0 ? std::to_string(place.line) : "–", std::to_string(place.samples()),
         percent(static_cast<double>(place.samples()) / static_cast<double>(std::max<std::int64_t>(1, sampled.samples))),
         stalls_words(place.stalls, place.samples()), code == nullptr ? "–" : code->text});
  }
  return table;
}

std::vector<std::string> stall_lines(const Profile& profile) {
  const DeviceSamples& sampled = profile.samples;
  std::vector<std::string> lines;
  if (!sampled.why_not.empty()) lines.push_back("not sampled: " + sampled.why_not);
  if (sampled.profiler.empty()) return lines;
  std::map<std::string, std::int64_t> counts;
  std::int64_t elsewhere = 0;
  for (const SampledPlace& place : sampled.places) {
    for (const StallCount& each : place.stalls) counts[each.stall] += each.samples;
    if (place.step < 0) elsewhere += place.samples();
  }
  std::vector<StallCount> all;
  for (const auto& [stall, samples] : counts) all.push_back({stall, samples});
  std::ranges::stable_sort(all, std::ranges::greater(), &StallCount::samples);
  lines.push_back(sampled.profiler + ": " + std::to_string(sampled.samples) + " samples, one every " +
                  std::to_string(sampled.period_cycles) + " cycles of a multiprocessor, over " + runs_words(sampled.runs) +
                  "; of all: " + stalls_words(all, sampled.samples));
  if (elsewhere > 0) lines.push_back(were(elsewhere, "sample") + " in no kernel of the plan");
  if (sampled.overflowed) lines.emplace_back(kOverflowed);
  if (sampled.dropped > 0) lines.push_back(were(sampled.dropped, "sample") + " dropped by the device");
  return lines;
}

}  // namespace fuselab::engine
