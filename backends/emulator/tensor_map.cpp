// SPDX-License-Identifier: Apache-2.0
#include "backends/emulator/tensor_map.h"

#include <algorithm>

namespace fuselab::simt {
namespace {

constexpr std::int64_t kPartBytes = 16;

// A row of the box: 16-byte parts, or single elements where a part begins before the tensor.
void add_row(std::vector<CopyPart>& parts, std::uintptr_t shared, std::uintptr_t row, const TensorMap& map, std::int64_t column,
             bool inside) {
  const std::int64_t each = kPartBytes / map.element;
  for (std::int64_t i = 0; i < map.box[0]; i += each) {
    const std::int64_t first = column + i;
    const std::int64_t step = first < 0 && first + each > 0 ? 1 : each;
    for (std::int64_t k = 0; k < each; k += step) {
      const std::int64_t begin = first + k;
      const std::int64_t valid = !inside || begin < 0 ? 0 : std::clamp<std::int64_t>(map.extents[0] - begin, 0, step);
      const auto at = static_cast<std::uintptr_t>(i * map.element);
      parts.push_back({swizzled(shared + at, map.swizzle) + static_cast<std::uintptr_t>(k * map.element),
                       valid == 0 ? map.address : row + static_cast<std::uintptr_t>(begin * map.element), step * map.element,
                       valid * map.element});
    }
  }
}

}  // namespace

// Follows the hardware, by bits of the address: within 128, 64 or 32 bytes, by which of eight, four or two rows it is.
std::uintptr_t swizzled(std::uintptr_t address, int swizzle) {
  const std::uintptr_t parts = swizzle == 0 ? 0 : static_cast<std::uintptr_t>(swizzle / kPartBytes - 1);
  return address ^ ((address >> 7 & parts) << 4);
}

std::vector<CopyPart> box_parts(std::uintptr_t shared, const TensorMap& map, const std::array<std::int64_t, kMapAxes>& at) {
  std::int64_t rows = 1;
  for (int axis = 1; axis < map.axes; ++axis) rows *= map.box[static_cast<std::size_t>(axis)];
  std::vector<CopyPart> parts;
  for (std::int64_t row = 0; row < rows; ++row) {
    std::int64_t left = row, offset = 0;
    bool inside = true;
    for (int axis = 1; axis < map.axes; ++axis) {
      const auto a = static_cast<std::size_t>(axis);
      const std::int64_t place = at[a] + left % map.box[a];
      left /= map.box[a];
      inside = inside && place >= 0 && place < map.extents[a];
      offset += place * map.strides[a - 1];
    }
    add_row(parts, shared + static_cast<std::uintptr_t>(row * map.box[0] * map.element),
            inside ? map.address + static_cast<std::uintptr_t>(offset) : map.address, map, at[0], inside);
  }
  return parts;
}

}  // namespace fuselab::simt
