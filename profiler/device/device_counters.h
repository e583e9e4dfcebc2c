// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <span>

#include "core/backend/counter_collector.h"
#include "core/profile/metric.h"

namespace fuselab::profile {

// Times the sequence a few times without counters and returns ns per run.
using PlainTime = std::function<Result<double>()>;
// Called before each launch of the sequence under counters, so that whoever watches sees progress.
using BeforePass = std::function<void()>;

// Collects every metric of a device's vocabulary, pass by pass. A pass that fails takes its own metrics along, with its reason, and
// no others; where nothing may be counted each metric has that reason. The set's rung is "device, N passes". Fails only where the
// launches themselves fail.
Result<CounterSet> count_on_device(CounterCollector& collector, std::span<const Launch> sequence, const PlainTime& plain,
                                   const BeforePass& before);

}  // namespace fuselab::profile
