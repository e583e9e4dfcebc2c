// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "app/views/profile_view.h"

namespace fuselab::engine {

// What a device did over time, in words. All are empty of a device that nobody recorded.

// Each kernel, copy and memset of the plan: how often it ran, how long it took, what idle time lay before it, and its launch.
WordTable traced_words(const Profile& profile);
// How busy the device was, what the recording cost and what it lost; or why there is none.
std::vector<std::string> traced_lines(const Profile& profile);

// Each sampled counter over the time of the plan: the least, the median and the most of its intervals.
WordTable series_words(const Profile& profile);
std::vector<std::string> series_lines(const Profile& profile);

// The instructions with the most samples, at most so many, and what warps waited for there.
WordTable stall_words(const Profile& profile, std::size_t most);
std::vector<std::string> stall_lines(const Profile& profile);

}  // namespace fuselab::engine
