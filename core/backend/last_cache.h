// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/backend/device_info.h"

namespace fuselab {

// The largest cache that a device is known to have, in bytes: what does not fit it is in memory. 0 where none is known.
inline std::int64_t last_cache_bytes(const DeviceInfo& device) {
  std::int64_t largest = 0;
  for (const char* level : {"l1_bytes", "l2_bytes", "l3_bytes", "l4_bytes"}) {
    auto const found = device.target.limits.find(level);
    if (found != device.target.limits.end()) largest = std::max(largest, found->second);
  }
  return largest;
}

// All of the device's caches of that level together: a processor may have several, each for some of its cores.
inline std::int64_t last_caches_bytes(const DeviceInfo& device) {
  auto const count = device.target.limits.find("last_caches");
  return last_cache_bytes(device) * (count == device.target.limits.end() ? 1 : count->second);
}

// Whether the working set of a measured bandwidth lies in a cache: such a bandwidth says nothing of memory.
inline bool fits_cache(Bytes footprint, std::int64_t last_cache) {
  return last_cache > 0 && footprint.count <= last_cache;
}

}  // namespace fuselab
