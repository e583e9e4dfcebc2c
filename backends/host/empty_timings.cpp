// SPDX-License-Identifier: Apache-2.0
#include "backends/host/empty_timings.h"

#include "core/platform/system/clock.h"

namespace fuselab::host {

std::vector<Timing> time_nothing(int times) {
  std::vector<Timing> timings;
  timings.reserve(static_cast<std::size_t>(times));
  for (int i = 0; i < times; ++i) {
    const Nanoseconds start = platform::monotonic_now();
    const Nanoseconds end = platform::monotonic_now();
    timings.push_back({{end.count - start.count}, TimingSource::kHostWall});
  }
  return timings;
}

}  // namespace fuselab::host
