// SPDX-License-Identifier: Apache-2.0
#include "backends/null/null_tracer.h"

#include <chrono>
#include <csignal>
#include <thread>

namespace fuselab::null {
namespace {

constexpr const char* kScripted = "scripted";
constexpr double kGap = 1'000;  // ns
constexpr int kIntervals = 10;
constexpr int kPeriodCycles = 512;

}  // namespace

Status TracingRuntime::suffer() const {
  if (trouble_ == TraceTrouble::kCrash) std::raise(SIGSEGV);
  if (trouble_ == TraceTrouble::kDenied) return Error{ErrorCode::kUnavailable, "scripted: another profiler is attached"};
  return {};
}

Result<DeviceTrace> TracingRuntime::trace(std::span<const Launch> sequence, int runs) {
  FL_TRY_VOID(suffer());
  if (trouble_ == TraceTrouble::kHang) std::this_thread::sleep_for(std::chrono::hours(1));
  DeviceTrace trace;
  trace.profiler = kScripted;
  trace.runs = runs;
  trace.origin_ns = std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now().time_since_epoch()).count();
  trace.dropped = trouble_ == TraceTrouble::kDropped ? 7 : 0;
  double now = 0;
  for (int run = 0; run < runs; ++run) {
    for (std::size_t step = 0; step < sequence.size(); ++step) {
      FL_TRY_VOID(sequence[step].executable->enqueue(sequence[step].arguments));
      DeviceSpan& span = trace.spans.emplace_back();
      span.kind = "kernel";
      span.label = "scripted kernel";
      span.run = run;
      span.step = static_cast<int>(step);
      span.start_ns = now += kGap;
      span.duration_ns = static_cast<NullExecutable&>(*sequence[step].executable).next_latency_ns();
      span.grid = {64, 1, 1};
      span.block = {256, 1, 1};
      span.registers = 32;
      now += span.duration_ns;
    }
  }
  return trace;
}

Result<DeviceSeries> TracingRuntime::sample_counters(std::span<const Launch> sequence, double run_ns) {
  FL_TRY_VOID(suffer());
  for (const Launch& launch : sequence) FL_TRY_VOID(launch.executable->enqueue(launch.arguments));
  DeviceSeries series;
  series.profiler = kScripted;
  series.runs = 1;
  series.interval_ns = run_ns / kIntervals;
  series.overflowed = trouble_ == TraceTrouble::kDropped;
  SeriesRow occupancy{"device_occupancy", kScripted, {}, {}};
  for (int i = 0; i < kIntervals; ++i) {
    series.starts_ns.push_back(i * series.interval_ns);
    occupancy.values.push_back(0.5 + 0.01 * i);
  }
  series.rows = {std::move(occupancy), {"device_memory_share", kScripted, {}, "scripted: this device has no such counter"}};
  return series;
}

Result<DeviceSamples> TracingRuntime::sample_code(std::span<const Launch> sequence, std::span<const SampledCode> code) {
  FL_TRY_VOID(suffer());
  for (const Launch& launch : sequence) FL_TRY_VOID(launch.executable->enqueue(launch.arguments));
  DeviceSamples samples;
  samples.profiler = kScripted;
  samples.runs = 1;
  samples.period_cycles = kPeriodCycles;
  samples.dropped = trouble_ == TraceTrouble::kDropped ? 7 : 0;
  for (std::size_t step = 0; step < code.size(); ++step) {
    samples.places.push_back({static_cast<int>(step), code[step].entry, 0x10, 3, {{"long_scoreboard", 60}, {"selected", 20}}});
    samples.places.push_back({static_cast<int>(step), code[step].entry, 0x20, 4, {{"wait", 15}}});
    samples.samples += 95;
  }
  return samples;
}

}  // namespace fuselab::null
