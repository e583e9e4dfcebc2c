// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "backends/emulator/block_run.h"

namespace fuselab::simt {

inline constexpr int kMapAxes = 5;

// What the copy engine knows of a tensor and of the box that one copy moves, as a kernel is given it: 128 bytes, like the driver's.
// Axes are counted from the innermost, whose elements lie together.
struct alignas(64) TensorMap {
  std::uintptr_t address = 0;  // filled in by the launch
  std::int16_t element = 2;    // bytes
  std::int16_t axes = 1;
  std::int32_t swizzle = 0;  // bytes of a box's row whose 16-byte parts change places: 32, 64, 128; 0: none do
  std::array<std::int64_t, kMapAxes> extents = {1, 1, 1, 1, 1};
  std::array<std::int64_t, kMapAxes - 1> strides = {};  // bytes, of every axis but the innermost
  std::array<std::int32_t, kMapAxes> box = {1, 1, 1, 1, 1};
};
static_assert(sizeof(TensorMap) == 128);

// Where the swizzle puts a 16-byte part.
std::uintptr_t swizzled(std::uintptr_t address, int swizzle);

// The box at these elements as pieces of a copy into shared memory; what hangs over the tensor becomes zero.
std::vector<CopyPart> box_parts(std::uintptr_t shared, const TensorMap& map, const std::array<std::int64_t, kMapAxes>& at);

}  // namespace fuselab::simt
