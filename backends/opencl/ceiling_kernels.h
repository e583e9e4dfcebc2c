// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace fuselab::opencl {

// Texts of the kernels that measure what a device can do: written by hand, in no way by the kernel generator, so that a generated
// kernel is not its own judge.

inline constexpr int kMostProbeStreams = 4;

// Floats that a work-item moves at once: what suits a GPU, and what fills a processor's registers.
inline constexpr int kStreamWidths[] = {4, 16};
// "stream_4" and "stream_16" for a mix: each takes `reads` buffers, `writes` buffers, a buffer for a sink and the number (long) of
// its registers in each stream.
std::string stream_probe_text(int reads, int writes);

// Numbers that a work-item computes with at once.
inline constexpr int kRateWidths[] = {1, 4, 8, 16};
// "rate_<width>" for each: takes the sink alone and does kRateFlops · width operations per work-item; "nothing" does nothing.
std::string rate_probe_text(const std::string& type);
inline constexpr int kRateRounds = 512, kRateChains = 8;
inline constexpr double kRateFlops = 2.0 * kRateRounds * kRateChains;

}  // namespace fuselab::opencl
