// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace fuselab::opencl {

// Texts of the kernels that measure a device's limits, written by hand and independently of the kernel generator, so that a
// generated kernel is not its own judge.

inline constexpr int kMostProbeStreams = 4;

// Floats that a work-item moves at once: a width that suits a GPU, and one that fills a processor's registers.
inline constexpr int kStreamWidths[] = {4, 16};
// Returns "stream_4" and "stream_16" for a mix: each takes `reads` buffers, `writes` buffers, a buffer for a sink and the number
// (long) of its registers in each stream.
std::string stream_probe_text(int reads, int writes);

// Numbers that a work-item computes with at once.
inline constexpr int kRateWidths[] = {1, 4, 8, 16};
// Returns "rate_<width>" for each width, which takes the sink alone and does kRateFlops · width operations per work-item, and
// "nothing", which does nothing.
std::string rate_probe_text(const std::string& type);
inline constexpr int kRateRounds = 512, kRateChains = 8;
inline constexpr double kRateFlops = 2.0 * kRateRounds * kRateChains;

}  // namespace fuselab::opencl
