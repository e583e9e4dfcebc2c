// SPDX-License-Identifier: Apache-2.0
#include "backends/emulator/matrix_units.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <memory>

namespace fuselab::simt {
namespace {

constexpr int kDepth = 16, kRows = 64;

std::uintptr_t swizzled(std::uintptr_t address) {
  return address ^ ((address >> 7 & 7) << 4);
}

float number(std::uintptr_t at) {
  std::uint16_t stored;
  std::memcpy(&stored, reinterpret_cast<const void*>(at), 2);
  const std::uint32_t bits = static_cast<std::uint32_t>(stored) << 16;
  float value;
  std::memcpy(&value, &bits, 4);
  return value;
}

float half_of(unsigned bits, int which) {
  const std::uint32_t wide = which == 0 ? bits << 16 : bits & 0xffff0000U;
  float value;
  std::memcpy(&value, &wide, 4);
  return value;
}

// A matrix that fl_matrix_place describes: line `at` (a row, or a column of b) and step `k` of depth.
struct Matrix {
  std::uintptr_t start;
  std::int64_t apart, next;
  bool along_depth;
  Matrix(std::uintptr_t base, std::uint64_t place, bool along)
      : start(base + ((place & 0x3fff) << 4)),
        apart(static_cast<std::int64_t>(place >> 32 & 0x3fff) << 4),
        next(static_cast<std::int64_t>(place >> 16 & 0x3fff) << 4),
        along_depth(along) {}
  std::uintptr_t address(int at, int k) const {
    const std::int64_t offset =
        along_depth ? at / 8 * apart + at % 8 * 128 + k * 2 : at / 64 * next + at % 64 * 2 + k / 8 * apart + k % 8 * 128;
    return swizzled(start + static_cast<std::uintptr_t>(offset));
  }
};

}  // namespace

std::vector<BlockRun::BoxPart> box_parts(std::uintptr_t shared, const TensorMap& map, int x, int y, int z) {
  std::vector<BlockRun::BoxPart> parts;
  for (int row = 0; row < map.box_height; ++row) {
    for (int part = 0; part < map.box_width / 8; ++part) {
      const std::int64_t column = x + part * 8, line = y + row;
      const std::int64_t inside = line < 0 || line >= map.height || column < 0 || z < 0 || z >= map.layers
                                      ? 0
                                      : std::clamp<std::int64_t>(map.width - column, 0, 8);
      const std::uintptr_t from =
          map.address + static_cast<std::uintptr_t>(inside == 0 ? 0 : z * map.layer_pitch + line * map.pitch + column * 2);
      parts.push_back({swizzled(shared + static_cast<std::uintptr_t>(row * 128 + part * 16)), from, 16, inside * 2});
    }
  }
  return parts;
}

// Sums are hidden, and NaN to the kernel, from the first product that is issued until its group is waited for.
BlockRun::Product group_product(float* const* sums, int columns, const unsigned* const* registers, std::uintptr_t base,
                                std::uint64_t a, std::uint64_t b, bool turned, bool keep) {
  const Matrix left(base, a, true), right(base, b, !turned);
  const std::vector<float*> places(sums, sums + kGroup);
  const std::vector<const unsigned*> given(registers, registers + kGroup);
  const bool placed = given.front() == nullptr;
  BlockRun::Product product;
  for (int row = 0; placed && row < kRows; ++row) {
    for (int part = 0; part < 2; ++part) product.reads.emplace_back(left.address(row, part * 8), 16);
  }
  for (int i = 0; i < columns * kDepth / 8; ++i) {
    product.reads.emplace_back(turned ? right.address(i / kDepth * 8, i % kDepth) : right.address(i / 2, i % 2 * 8), 16);
  }
  product.work = [=] {
    std::vector<float> l(kRows * kDepth), r(static_cast<std::size_t>(columns * kDepth));
    for (int i = 0; i < kRows * kDepth; ++i) {
      const int row = i / kDepth, k = i % kDepth;
      l[static_cast<std::size_t>(i)] =
          placed
              ? number(left.address(row, k))
              : half_of(given[static_cast<std::size_t>(row / 16 * 32 + row % 8 * 4 + k % 8 / 2)][k / 8 * 2 + row / 8 % 2], k % 2);
    }
    for (int i = 0; i < columns * kDepth; ++i) r[static_cast<std::size_t>(i)] = number(right.address(i / kDepth, i % kDepth));
    for (int thread = 0; thread < kGroup; ++thread) {
      for (int i = 0; i < columns / 2; ++i) {
        const int row = thread / 32 * 16 + thread % 32 / 4 + i / 2 % 2 * 8, column = i / 4 * 8 + thread % 4 * 2 + i % 2;
        float& sum = places[static_cast<std::size_t>(thread)][i];
        double total = keep ? sum : 0.0;
        for (int k = 0; k < kDepth; ++k) {
          total +=
              static_cast<double>(l[static_cast<std::size_t>(row * kDepth + k)]) * r[static_cast<std::size_t>(column * kDepth + k)];
        }
        sum = static_cast<float>(total);
      }
    }
  };
  return product;
}

}  // namespace fuselab::simt
