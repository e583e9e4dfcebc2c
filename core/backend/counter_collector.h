// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/backend/device_runtime.h"
#include "core/base/result.h"
#include "core/profile/metric.h"

namespace fuselab {

// How a device counts a set of metrics: with a few hardware counters at a time, so that the launches are replayed once per pass.
struct CounterPasses {
  std::vector<std::vector<std::string>> passes;  // names of the vocabulary (core/profile/vocabulary.h) that each pass gives
  std::vector<Metric> refused;                   // those that this device has no counter for, each with its reason
};

// Optional ability of a runtime: dynamic_cast from DeviceRuntime. Reads the counters of a device that has its own, as CUPTI and
// rocprofiler do. Called by the runtime's one thread, never inside a timed block.
class CounterCollector {
 public:
  virtual ~CounterCollector() = default;
  // Returns the passes that these metrics need; launches nothing, so that the price is known before it is paid.
  // Fails with kUnavailable where nothing may be counted, in words that say what would permit it.
  virtual Result<CounterPasses> plan_passes(std::span<const std::string> metrics) = 0;
  // Launches the sequence once under the counters of a pass and returns its metrics, each per run of the sequence. The same
  // sequence on the same buffers gives the same results in every pass: no kernel overwrites its inputs.
  virtual Result<std::vector<Metric>> collect_pass(const std::vector<std::string>& pass, std::span<const Launch> sequence) = 0;
};

}  // namespace fuselab
