// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "core/base/result.h"
#include "core/base/units.h"

namespace fuselab::engine {

// Returns the time that a command printed: a line `fuselab: 1.234 ms` with the unit ns, us, µs, ms or s. Of several such lines the
// median counts, so a command may repeat its work and print each time.
// Fails with kInvalidArgument where no line has this form, and where one has no time above zero.
Result<Nanoseconds> printed_time(std::string_view output);

}  // namespace fuselab::engine
