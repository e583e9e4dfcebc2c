// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <span>

#include "backends/cuda/cupti/cupti_library.h"
#include "core/backend/device_runtime.h"
#include "core/profile/device_timeline.h"

namespace fuselab::cuda {

// An opened device as CUPTI needs it. Its context is current in the calling thread.
struct CuptiDevice {
  const CuptiLibrary& library;
  void* context = nullptr;
  int ordinal = 0;
  std::function<Status()> synchronize;  // waits for what was launched in the context
};

// Runs the sequence `runs` times while CUPTI records kernels, copies, launches and its own overhead, and returns them as spans.
// Each launch carries an external correlation of its run and step, by which its kernels are found again. Fails with kUnavailable
// where another profiler is attached, by name, or where nothing may be recorded. One recording at a time in a process.
Result<DeviceTrace> record_activity(const CuptiDevice& device, std::span<const Launch> sequence, int runs);

}  // namespace fuselab::cuda
