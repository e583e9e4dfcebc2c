// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backends/null/null_counters.h"
#include "core/backend/device_tracer.h"

namespace fuselab::null {

// What becomes of a synthetic device's records over time. What hangs is the trace alone: each part would cost its whole time limit.
enum class TraceTrouble { kNone, kDenied, kCrash, kHang, kDropped };

// A synthetic device that is recorded over time: its clock runs by the script's latencies, with 1 µs between launches. A series has
// ten intervals, samples lie at the first two instructions of each step.
class TracingRuntime final : public CountingRuntime, public DeviceTracer {
 public:
  TracingRuntime(DeviceInfo info, CounterTrouble counters, TraceTrouble trouble)
      : CountingRuntime(std::move(info), counters), trouble_(trouble) {}

  Result<DeviceTrace> trace(std::span<const Launch> sequence, int runs) override;
  Result<DeviceSeries> sample_counters(std::span<const Launch> sequence, double run_ns) override;
  Result<DeviceSamples> sample_code(std::span<const Launch> sequence, std::span<const SampledCode> code) override;

 private:
  // Crashes or is denied as scripted.
  Status suffer() const;

  TraceTrouble trouble_;
};

}  // namespace fuselab::null
