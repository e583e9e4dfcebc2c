// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "profiler/verdict/verdict_rules.h"

namespace fuselab::profile {

// The rules that read a GPU's counters (device_* of the vocabulary). Each says nothing where what it reads was not counted, and
// where the time was measured with other caches than warm ones.
//
// Busy units explain the share of the time in which they work. What the busiest one leaves is waiting: it is divided by what
// warps wait for between two of their instructions. What more warps in flight could hide of it is occupancy, the rest latency.
std::span<const Rule> device_rules();

// Returns whether any counter is a device's own.
bool has_device_counts(const CounterSet& counters);

// Returns whether the peak that arithmetic is held against is another unit's than the one that worked: more than all of the time
// would be needed at it, or matrix units were counted at work, as for f32 in three products of tf32.
bool is_peak_of_another_unit(const Facts& facts);

// Counters are of warm launches: they say nothing of a time with other caches.
std::optional<double> counted(const Facts& facts, std::string_view name);

}  // namespace fuselab::profile
