// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "core/base/units.h"
#include "core/kernel/compiled_kernel.h"

namespace fuselab::profile {

// A level of the memory hierarchy as a plan on so many threads sees it.
struct CacheLevel {
  std::string name;  // "L1", "L2", "L3", "memory"
  Bytes capacity;    // of all threads' caches of the level together; of memory: 0, without end
  Bytes probe;       // working set with which its bandwidth is measured, a class of footprint_class()
};

// Returns the levels, the smallest first, memory last. A level that its neighbour swallows is left out: no working set lies in it.
std::vector<CacheLevel> cache_levels(const Target& target, int threads);

// Returns the smallest level that holds a working set.
const CacheLevel& level_of(const std::vector<CacheLevel>& levels, Bytes working_set);

}  // namespace fuselab::profile
