// SPDX-License-Identifier: Apache-2.0
#include "profiler/host/counter_metrics.h"

#include <algorithm>

namespace fuselab::profile {
namespace {

constexpr double kCacheLine = 64;

// Metrics that are a share of the group's event without a name.
bool is_share(const std::string& metric) {
  return metric.starts_with("topdown_") || metric == "stalled_backend_share";
}

Metric* find_in(std::vector<Metric>& metrics, std::string_view name) {
  const auto found = std::find_if(metrics.begin(), metrics.end(), [&](const Metric& metric) { return metric.name == name; });
  return found == metrics.end() ? nullptr : &*found;
}

// Adds a metric, or adds to the one of the same name: FLOPs are a sum over events.
void add(Metric metric, std::vector<Metric>& metrics) {
  Metric* const known = find_in(metrics, metric.name);
  if (known == nullptr) {
    metrics.push_back(std::move(metric));
    return;
  }
  if (!metric.value) {
    if (!known->value) return;
    metrics.erase(metrics.begin() + (known - metrics.data()));
    metrics.push_back(std::move(metric));  // a sum that lacks a part is none
    return;
  }
  if (!known->value) return;
  *known->value += *metric.value;
  known->counted_share = std::min(known->counted_share, metric.counted_share);
  known->scaled = known->scaled || metric.scaled;
  known->source += ", " + metric.source.substr(metric.source.find(' ') + 1);
}

void derive(const char* name, const char* above, const char* below, double factor, std::vector<Metric>& metrics) {
  const Metric* const top = find_in(metrics, above);
  if (top == nullptr) return;
  const Metric* const bottom = below == nullptr ? top : find_in(metrics, below);
  Metric derived;
  derived.name = name;
  derived.source = "derived";
  if (!top->value) {
    derived.reason = top->reason;
  } else if (bottom == nullptr || !bottom->value || (below != nullptr && *bottom->value <= 0)) {
    derived.reason = bottom == nullptr || bottom->value ? std::string(below) + " is 0" : bottom->reason;
  } else {
    derived.value = factor * *top->value / (below == nullptr ? 1 : *bottom->value);
    derived.scaled = top->scaled || bottom->scaled;
    derived.counted_share = std::min(top->counted_share, bottom->counted_share);
  }
  add(std::move(derived), metrics);
}

}  // namespace

void add_metrics(const EventGroup& group, const GroupReading& reading, int launches, std::vector<Metric>& metrics) {
  const double share = reading.enabled_ns > 0 ? std::min(1.0, reading.running_ns / reading.enabled_ns) : 1;
  const auto whole = std::find(group.metrics.begin(), group.metrics.end(), "");
  const double divisor = whole == group.metrics.end() ? 1 : reading.counts[static_cast<std::size_t>(whole - group.metrics.begin())];
  constexpr double kAlmostAll = 0.999;
  for (std::size_t i = 0; i < group.events.size(); ++i) {
    if (group.metrics[i].empty()) continue;
    Metric metric;
    metric.name = group.metrics[i];
    metric.source = "perf_event: " + group.events[i].name;
    metric.counted_share = share;
    if (reading.running_ns <= 0 && reading.enabled_ns > 0) {
      metric.reason = "it never had its turn: all counters were in use";
    } else if (is_share(metric.name)) {
      if (divisor > 0) {
        metric.value = reading.counts[i] / divisor;
      } else {
        metric.reason = "what it is a share of was counted as 0";
      }
    } else {
      metric.value = reading.counts[i] * group.factors[i] / (share > 0 ? share : 1) / launches;
      metric.scaled = share < kAlmostAll;
    }
    add(std::move(metric), metrics);
  }
}

void add_missing(const EventGroup& group, const std::string& reason, std::vector<Metric>& metrics) {
  for (std::size_t i = 0; i < group.events.size(); ++i) {
    if (group.metrics[i].empty()) continue;
    add({group.metrics[i], std::nullopt, reason, "perf_event: " + group.events[i].name, 0, false}, metrics);
  }
}

void add_derived(double wall_ns, std::vector<Metric>& metrics) {
  derive("instructions_per_cycle", "instructions", "cycles", 1, metrics);
  derive("cache_miss_share_l1", "cache_misses_l1", "cache_loads_l1", 1, metrics);
  derive("memory_bytes", "cache_misses_last", nullptr, kCacheLine, metrics);
  if (find_in(metrics, "frequency") == nullptr) derive("frequency", "cycles", "task_clock", 1e9, metrics);
  if (wall_ns > 0) derive("processors_used", "task_clock", nullptr, 1 / wall_ns, metrics);
}

}  // namespace fuselab::profile
