// SPDX-License-Identifier: Apache-2.0
#include "backends/host/empty_timings.h"

#include "core/platform/clock.h"

namespace fuselab::host {

std::vector<Timing> time_nothing(int times) {
  std::vector<Timing> timings;
  timings.reserve(static_cast<std::size_t>(times));
  for (int i = 0; i < times; ++i) {
    Nanoseconds const start = platform::monotonic_now();
    Nanoseconds const end = platform::monotonic_now();
    timings.push_back({{end.count - start.count}, TimingSource::kHostWall});
  }
  return timings;
}

}  // namespace fuselab::host
