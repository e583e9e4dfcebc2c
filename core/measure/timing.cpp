// SPDX-License-Identifier: Apache-2.0
#include "core/measure/timing.h"

#include <string>

namespace fuselab {

std::string_view name_of(TimingSource source) {
  switch (source) {
    case TimingSource::kHostWall: return "host-wall";
    case TimingSource::kDeviceEvents: return "device-events";
    case TimingSource::kProvider: return "provider";
    case TimingSource::kSynthetic: return "synthetic";
  }
  FL_ASSERT(false);
}

Result<TimingSource> parse_timing_source(std::string_view name) {
  for (const TimingSource source :
       {TimingSource::kHostWall, TimingSource::kDeviceEvents, TimingSource::kProvider, TimingSource::kSynthetic}) {
    if (name_of(source) == name) return source;
  }
  return invalid_argument("unknown timing source '" + std::string(name) +
                          "'; known: host-wall, device-events, provider, synthetic");
}

}  // namespace fuselab
