// SPDX-License-Identifier: Apache-2.0
#include "profiler/device/device_counters.h"

#include <chrono>

#include "core/profile/vocabulary.h"

namespace fuselab::profile {
namespace {

std::vector<std::string> device_metrics() {
  std::vector<std::string> names;
  for (const MetricInfo& info : metric_vocabulary()) {
    if (info.name.starts_with("device_")) names.emplace_back(info.name);
  }
  return names;
}

void refuse(CounterSet& set, const std::vector<std::string>& names, const std::string& reason) {
  for (const std::string& name : names) {
    Metric metric;
    metric.name = name;
    metric.reason = reason;
    set.metrics.push_back(std::move(metric));
  }
}

double ns_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace

Result<CounterSet> count_on_device(CounterCollector& collector, std::span<const Launch> sequence, const PlainTime& plain,
                                   const BeforePass& before) {
  CounterSet set;
  set.why_no_hits = "a device's instructions are not sampled";
  FL_TRY(set.plain_ns, plain());
  set.extra_launches = 1;
  set.extra_ns = set.plain_ns;
  const std::vector<std::string> wanted = device_metrics();
  auto planned = collector.plan_passes(wanted);
  if (!planned.ok()) {
    set.passed_over.push_back("device: " + planned.error().message);
    refuse(set, wanted, planned.error().message);
    return set;
  }
  const CounterPasses& passes = planned.value();
  set.metrics = passes.refused;
  set.rung = "device, " + std::to_string(passes.passes.size()) + (passes.passes.size() == 1 ? " pass" : " passes");
  for (const std::vector<std::string>& pass : passes.passes) {
    before();
    const auto start = std::chrono::steady_clock::now();
    auto counted = collector.collect_pass(pass, sequence);
    set.wall_ns += ns_since(start);
    ++set.launches;
    if (!counted.ok()) {
      refuse(set, pass, counted.error().message);
      continue;
    }
    for (Metric& metric : counted.value()) set.metrics.push_back(std::move(metric));
  }
  if (set.launches > 0) set.counted_ns = set.wall_ns / set.launches;
  set.extra_launches += set.launches;
  set.extra_ns += set.wall_ns;
  return set;
}

}  // namespace fuselab::profile
