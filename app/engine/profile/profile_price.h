// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/engine/profile/profile_subject.h"

namespace fuselab::engine {

// Returns what a profile will run on this device, in words: the launches of its counters and how long they may take.
std::string price_of_profile(const DeviceInfo& device, double seconds = ProfileSpec().seconds);

// Returns what a GPU of the target would count, and in how many launches, in words; empty where no plan is known.
std::string price_of_counters(const std::string& target);

}  // namespace fuselab::engine
