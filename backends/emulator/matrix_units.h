// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "backends/emulator/block_run.h"

namespace fuselab::simt {

// A two-dimensional tensor of 16-bit elements and its box, as a kernel is given it: 128 bytes, like the driver's.
struct alignas(64) TensorMap {
  std::uintptr_t address = 0;
  std::int64_t width = 0, height = 0, pitch = 0;  // elements; bytes of a row
  std::int32_t box_width = 0, box_height = 0;     // of 64 elements, which are 128 bytes: rows are swizzled
  std::int64_t layers = 1, layer_pitch = 0;       // bytes of a layer
  std::int64_t unused[9] = {};
};
static_assert(sizeof(TensorMap) == 128);

std::vector<BlockRun::BoxPart> box_parts(std::uintptr_t shared, const TensorMap& map, int x, int y, int z);

BlockRun::Product group_product(float* const* sums, int columns, const unsigned* const* registers, std::uintptr_t base,
                                std::uint64_t a, std::uint64_t b, bool turned, bool keep);

}  // namespace fuselab::simt
