// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace fuselab::cpu {

// This header and the files that include it must not use the standard library's inline functions: they are compiled for different
// instruction sets, and the linker would keep any one copy.

inline constexpr int kMostStreams = 4;

// Reads every element of `reads` and writes every element of `writes` in [begin, end); multiples of 64 elements. The result depends
// on everything that was read, so that no read can be optimised away.
using StreamFunction = float (*)(const float* const* reads, float* const* writes, std::size_t begin, std::size_t end);
// Runs `rounds` rounds of independent multiply-adds; the result depends on all of them.
using FlopFunction = float (*)(std::size_t rounds, float seed);

struct FlopKernel {
  int chains = 0;  // independent ones
  FlopFunction run = nullptr;
  double per_round = 0;  // FLOPs
};
inline constexpr int kFlopKernels = 3;

// The streams for one instruction set, written by hand and independently of the kernel generator, so that a generated kernel is not
// its own judge.
struct StreamKernels {
  StreamFunction streams[kMostStreams + 1][kMostStreams + 1][2];  // [reads][writes][non-temporal]
  FlopKernel flops[kFlopKernels], flops_f64[kFlopKernels];
  const char* name;  // of the instruction set
};

const StreamKernels& baseline_stream_kernels();
const StreamKernels& avx2_stream_kernels();
const StreamKernels& avx512_stream_kernels();

}  // namespace fuselab::cpu
