// SPDX-License-Identifier: Apache-2.0
#include "backends/null/null_counters.h"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <thread>

#include "core/profile/vocabulary.h"

namespace fuselab::null {
namespace {

constexpr std::size_t kPerPass = 2;
constexpr std::string_view kCounted[] = {"device_cycles", "device_memory_bytes", "device_occupancy", "device_time"};
constexpr double kClock = 1e9;  // Hz, scripted

double scripted_value(std::string_view name, double latency_ns) {
  if (name == "device_cycles") return latency_ns * 1e-9 * kClock;
  if (name == "device_memory_bytes") return latency_ns * 1e-9 * kBytesPerSecond;
  if (name == "device_occupancy") return 0.5;
  return latency_ns;
}

}  // namespace

Result<CounterPasses> CountingRuntime::plan_passes(std::span<const std::string> metrics) {
  if (trouble_ == CounterTrouble::kDenied) {
    return Error{ErrorCode::kUnavailable,
                 "scripted: counters are for administrators alone (NVIDIA's ERR_NVGPUCTRPERM looks like this)"};
  }
  CounterPasses planned;
  for (const std::string& name : metrics) {
    if (std::ranges::find(kCounted, name) == std::end(kCounted)) {
      Metric metric;
      metric.name = name;
      metric.reason = "scripted: this device has no such counter";
      planned.refused.push_back(std::move(metric));
      continue;
    }
    if (planned.passes.empty() || planned.passes.back().size() == kPerPass) planned.passes.emplace_back();
    planned.passes.back().push_back(name);
  }
  return planned;
}

Result<std::vector<Metric>> CountingRuntime::collect_pass(const std::vector<std::string>& pass, std::span<const Launch> sequence) {
  if (trouble_ == CounterTrouble::kCrash) std::raise(SIGSEGV);
  if (trouble_ == CounterTrouble::kHang) std::this_thread::sleep_for(std::chrono::hours(1));
  if (trouble_ == CounterTrouble::kFailingPass && pass.front() != "device_cycles")
    return Error{ErrorCode::kLaunchFailed, "scripted: the counters of this pass could not be read"};
  double latency_ns = 0;
  for (const Launch& launch : sequence) {
    FL_TRY_VOID(launch.executable->enqueue(launch.arguments));
    latency_ns += static_cast<NullExecutable&>(*launch.executable).next_latency_ns();
  }
  std::vector<Metric> metrics;
  for (const std::string& name : pass) {
    Metric metric;
    metric.name = name;
    metric.value = scripted_value(name, latency_ns);
    metric.source = "scripted";
    metrics.push_back(std::move(metric));
  }
  return metrics;
}

}  // namespace fuselab::null
