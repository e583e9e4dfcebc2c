// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/backend/backend.h"

namespace fuselab::primitives {

// A way to read memory, and what it gave: how many bytes are under way on a multiprocessor at a time, and bytes per second.
struct InFlight {
  std::string form;                                // "loads" of threads, "engine" copies of one thread
  std::int64_t blocks = 0, threads = 0, each = 0;  // blocks of a multiprocessor; loads of 16 bytes a thread, or stages of a block
  std::int64_t bytes = 0;
  double per_second = 0;
};

// Reads a buffer in every way of a fixed list while time is left. Ways that the device does not take are left out.
Result<std::vector<InFlight>> sweep(FusionBackend& backend, DeviceRuntime& runtime, Bytes footprint, double seconds);

}  // namespace fuselab::primitives
