// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace fuselab::gpu::stream {

// Texts of the kernels that measure a device's limits, written by hand and independently of the kernel generator, so that a
// generated kernel is not its own judge. They begin with the generator's prelude of the language, whose functions they call, so
// that the SIMT executor of the tests can run them, too.

inline constexpr int kMostProbeStreams = 4;

// One way to stream: the number of 16-byte loads of a stream in flight per thread, and whether stores are marked as not needed
// again.
struct StreamProbe {
  int unroll;
  bool evict_first;
  std::string name() const;
};
inline constexpr StreamProbe kStreamProbes[] = {{1, false}, {4, false}, {1, true}, {4, true}};

// Returns all of kStreamProbes for a mix: each takes `reads` pointers, `writes` pointers, a pointer to a sink and the number (long
// long) of 16-byte elements of each stream.
std::string stream_probe_text(std::string_view prelude, int reads, int writes);

// Returns "rate_f32" and "rate_f64", which take the sink alone and do kRateFlops operations per thread, and "nothing", which takes
// no argument and does nothing.
std::string rate_probe_text(std::string_view prelude);
inline constexpr int kRateRounds = 512, kRateChains = 16;
inline constexpr double kRateFlops = 2.0 * kRateRounds * kRateChains;

}  // namespace fuselab::gpu::stream
