// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "core/base/units.h"

namespace fuselab::platform {

// Reads CLOCK_MONOTONIC, which is the same in every process of this machine, so a time stamp may be compared across the shared
// page.
Nanoseconds monotonic_now();
// Returns milliseconds since 1970, as stored with every row.
std::int64_t unix_milliseconds();
// Returns local time for people: "2026-03-01 14:03:22".
std::string local_time_text(std::int64_t unix_ms);

}  // namespace fuselab::platform
