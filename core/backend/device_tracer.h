// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "core/backend/device_runtime.h"
#include "core/base/result.h"
#include "core/profile/device_timeline.h"

namespace fuselab {

// The binary of one step of a plan, as it was loaded, for finding where a sample was.
struct SampledCode {
  std::span<const std::byte> binary;
  std::string entry;
};

// Optional ability of a runtime: dynamic_cast from DeviceRuntime. Records what a device does over time, as CUPTI's activity records
// and rocprofiler's buffers do. Called by the runtime's one thread, never inside a timed block, and each in a process of its own:
// what one leaves behind would disturb the next. All fail with kUnavailable where nothing may be recorded, in words that say what
// would permit it.
class DeviceTracer {
 public:
  virtual ~DeviceTracer() = default;
  // Launches the sequence so often, waiting behind each run, and returns what the device did. Times are of the device's clock.
  virtual Result<DeviceTrace> trace(std::span<const Launch> sequence, int runs) = 0;
  // Launches the sequence once or, where a run of `run_ns` is too short for a series, several times back to back, and returns the
  // metrics that one pass counts, interval by interval.
  virtual Result<DeviceSeries> sample_counters(std::span<const Launch> sequence, double run_ns) = 0;
  // Launches the sequence with its kernels one after the other and returns where their warps were. `code`: of each step.
  virtual Result<DeviceSamples> sample_code(std::span<const Launch> sequence, std::span<const SampledCode> code) = 0;
};

}  // namespace fuselab
