// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace fuselab::cpu {

// This header and what includes it stay free of the standard library's inline functions: its users are compiled for
// different instruction sets, and the linker would keep any one copy.

inline constexpr int kMostStreams = 4;

// Reads every element of `reads` and writes every element of `writes` in [begin, end); multiples of 64 elements.
// The result depends on all that was read, so that nothing can be left out.
using StreamFunction = float (*)(const float* const* reads, float* const* writes, std::size_t begin, std::size_t end);
// Runs `rounds` rounds of independent multiply-adds; the result depends on all of them.
using FlopFunction = float (*)(std::size_t rounds, float seed);

// The same streams for one instruction set. Written by hand, independently of the kernel generator, so that a generated
// kernel is not its own judge.
struct StreamKernels {
  StreamFunction streams[kMostStreams + 1][kMostStreams + 1][2];  // [reads][writes][non-temporal]
  FlopFunction flops, flops_f64;
  double flops_per_round, flops_f64_per_round;
};

const StreamKernels& baseline_stream_kernels();
const StreamKernels& avx2_stream_kernels();
const StreamKernels& avx512_stream_kernels();

}  // namespace fuselab::cpu
