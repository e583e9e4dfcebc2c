// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "backends/cuda/cupti/cupti_library.h"
#include "core/profile/nvidia_counters.h"

// How many launches a set of counters takes on a chip, as CUPTI says it. It needs no GPU with CUPTI 13.0 and 13.1.
namespace fuselab::cuda {

// Returns the chips that the library knows by name.
Result<std::vector<std::string>> chips_of(const CuptiLibrary& library);

// Packs all metrics of the vocabulary into passes of one launch each, in the order of nvidia_counters(): each goes into the first
// pass that it fits. What takes several launches by itself, or has no counter, is refused with the reason. `availability` is what a
// device says of its counters; empty without one. Fails with kUnsupported where the library does not open the chip.
Result<NvidiaPlan> plan_of(const CuptiLibrary& library, const std::string& chip,
                           const std::vector<std::uint8_t>& availability = {});

// Returns the metrics that the sampler of counters takes together in one launch, each with its counter: what a series has room for.
Result<std::vector<NvidiaPlan::Named>> series_of(const CuptiLibrary& library, const std::string& chip,
                                                 const std::vector<std::uint8_t>& availability = {});

}  // namespace fuselab::cuda
