// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/backend/device_info.h"

namespace fuselab {

// Returns the size in bytes of the largest known cache of a device: a larger working set lies in memory. Returns 0 where none is
// known.
inline std::int64_t last_cache_bytes(const DeviceInfo& device) {
  std::int64_t largest = 0;
  for (const char* level : {"l1_bytes", "l2_bytes", "l3_bytes", "l4_bytes"}) {
    const auto found = device.target.limits.find(level);
    if (found != device.target.limits.end()) largest = std::max(largest, found->second);
  }
  return largest;
}

// Returns the bytes that the device can keep from one run to the next: all its caches of the last level, of which a processor may
// have several, each for some of its cores, and each core's own second level, which may hold data that the last level does not.
inline std::int64_t last_caches_bytes(const DeviceInfo& device) {
  const auto& limits = device.target.limits;
  const auto limit = [&](const char* name, std::int64_t otherwise) {
    const auto found = limits.find(name);
    return found == limits.end() ? otherwise : found->second;
  };
  const std::int64_t own = limits.count("l3_bytes") != 0 ? limit("l2_bytes", 0) * limit("cores", 1) : 0;
  return last_cache_bytes(device) * limit("last_caches", 1) + own;
}

// Returns true when the working set of a measured bandwidth lies in a cache: such a bandwidth says nothing about memory.
inline bool fits_cache(Bytes footprint, std::int64_t last_cache) {
  return last_cache > 0 && footprint.count <= last_cache;
}

}  // namespace fuselab
