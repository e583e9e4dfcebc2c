// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "backends/emulator/block_run.h"

namespace fuselab::simt {

// d += a · b of a warpgroup: 64 rows, depth 16, bf16 in, f32 out. Matrices lie where fl_matrix_place says; a lies in registers
// where `registers` has them for each thread.
struct GroupOperands {
  float* const* sums = nullptr;  // of each of 128 threads
  int columns = 0;
  const unsigned* const* registers = nullptr;
  std::uint64_t a = 0, b = 0;
  bool turned = false;  // b lies along its columns
  bool keep = false;    // what the sums held; otherwise they begin at zero
};

// Reports a matrix that the hardware would read otherwise. `base` is where the block's shared memory begins.
GroupProduct group_product(const GroupOperands& operands, std::uintptr_t base, int line);

}  // namespace fuselab::simt
