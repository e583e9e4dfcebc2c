// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "core/base/result.h"
#include "core/base/units.h"

namespace fuselab {

// The clock that a timing was read from.
enum class TimingSource { kHostWall, kDeviceEvents, kProvider, kSynthetic };
std::string_view name_of(TimingSource source);
Result<TimingSource> parse_timing_source(std::string_view name);

struct Timing {
  Nanoseconds duration;
  TimingSource source = TimingSource::kHostWall;
};

}  // namespace fuselab
