// SPDX-License-Identifier: Apache-2.0
#include "app/engine/execute/execution_metrics.h"

#include <cstdio>

#include "core/platform/system/clock.h"

namespace fuselab::engine {

namespace {

std::string kernels_text(const ExecutionMetrics& metrics) {
  const std::string execution = ", execution " + format_duration(metrics.execution);
  if (metrics.first_launch.count <= 0) return execution;
  const std::string first = ", first launches " + format_duration(metrics.first_launch);
  return metrics.execution.count > 0 ? first + execution : first;
}

}  // namespace

std::string metrics_text(const ExecutionMetrics& metrics) {
  const std::string hit = metrics.cache_hit ? " (kept)" : "";
  char efficiency[32] = "", rates[48];
  const bool only_first = metrics.first_launch.count > 0 && metrics.execution.count <= 0;
  if (!only_first) std::snprintf(efficiency, sizeof efficiency, ", efficiency %.0f %%", 100 * metrics.efficiency());
  std::snprintf(rates, sizeof rates, ", %.3g M elements/s", metrics.throughput() * 1e-6);
  std::string text = metrics.device_id + ": " + std::to_string(metrics.data_size) + " elements, total " +
                     format_duration(metrics.total) + kernels_text(metrics) + ", transfer " + format_duration(metrics.transfer) +
                     ", compilation " + format_duration(metrics.compilation) + hit + efficiency + rates + ", memory " +
                     format_bytes(metrics.memory_allocated);
  if (metrics.buffers < metrics.tensors)
    text += " (" + std::to_string(metrics.buffers) + " buffers for " + std::to_string(metrics.tensors) + " tensors of " +
            format_bytes(metrics.memory_unshared) + ")";
  if (metrics.waiting.count > 0) text += ", waited for others " + format_duration(metrics.waiting);
  return text + (metrics.success ? "" : ", failed: " + metrics.error);
}

ExecutionMetricsTimer::ExecutionMetricsTimer(ExecutionMetrics& metrics)
    : ExecutionMetricsTimer(metrics, &platform::monotonic_now) {}

ExecutionMetricsTimer::ExecutionMetricsTimer(ExecutionMetrics& metrics, Clock clock)
    : metrics_(metrics), clock_(clock), begun_(clock()), since_(begun_) {
  metrics_.success = true;
}

ExecutionMetricsTimer::~ExecutionMetricsTimer() {
  stop();
  metrics_.total = {since_.count - begun_.count};
}

void ExecutionMetricsTimer::start(Nanoseconds* phase) {
  const Nanoseconds now = clock_();
  if (phase_ != nullptr) phase_->count += now.count - since_.count;
  phase_ = phase;
  since_ = now;
}

void ExecutionMetricsTimer::mark_cache_hit() {
  metrics_.cache_hit = true;
  metrics_.compilation = {};
  if (phase_ == &metrics_.compilation) phase_ = nullptr;
}

void ExecutionMetricsTimer::record_error(const std::string& error) {
  metrics_.success = false;
  metrics_.error = error;
}

void ExecutionCounts::add(const ExecutionMetrics& metrics) {
  const std::lock_guard lock(mutex_);
  BackendCounts& counts = by_backend_[metrics.backend];
  ++counts.executions;
  counts.failures += metrics.success ? 0 : 1;
  counts.compilation.count += metrics.compilation.count;
  counts.transfer.count += metrics.transfer.count;
  counts.execution.count += metrics.execution.count;
}

void ExecutionCounts::add_degradation(const std::string& from_backend, const std::string& to_backend) {
  const std::lock_guard lock(mutex_);
  ++by_backend_[from_backend].left;
  if (!to_backend.empty()) ++by_backend_[to_backend].taken;
}

std::map<std::string, BackendCounts> ExecutionCounts::snapshot() const {
  const std::lock_guard lock(mutex_);
  return by_backend_;
}

}  // namespace fuselab::engine
