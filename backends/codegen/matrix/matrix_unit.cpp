// SPDX-License-Identifier: Apache-2.0
#include "backends/codegen/matrix/matrix_unit.h"

#include <algorithm>
#include <array>

#include "core/kernel/cuda_features.h"

namespace fuselab::codegen {

std::span<const MatrixUnit> matrix_units() {
  static constexpr std::array kUnits = {
      MatrixUnit{"bf16", DType::kBF16, "fl_bf16", "unit_bf16", 1, 4, 16},
      MatrixUnit{"f16", DType::kF16, "fl_f16", "unit_f16", 1, 4, 16},
      MatrixUnit{"tf32x3", DType::kF32, "float", "unit_tf32x3", 2, 8, 32},
      MatrixUnit{"f32", DType::kF32, "float", "unit_f32", 2, 8, 32},  // behind the one that is found for f32
      MatrixUnit{"i8", DType::kI8, "signed char", "unit_i8", 1, 4, 64},
  };
  return kUnits;
}

namespace {

// The units of AMD's architectures, by the begin of a target's id (AMD's instruction set documents of CDNA 2 to 4 and RDNA 3, 4).
struct AmdUnits {
  std::string_view target;
  MatrixUnit units[4];
};

constexpr MatrixUnit amd(std::string_view name, DType operand, std::string_view word, int lines, int lanes, int each) {
  return {name, operand, word, "unit", 1, 4, 0, lines, lanes, each};
}

constexpr AmdUnits mfma(std::string_view target, int half, int bytes) {
  return {target,
          {amd("bf16", DType::kBF16, "fl_bf16", 32, 64, half), amd("f16", DType::kF16, "fl_f16", 32, 64, half),
           amd("i8", DType::kI8, "signed char", 32, 64, bytes), amd("f32", DType::kF32, "float", 32, 64, 1)}};
}

// They multiply no f32.
constexpr AmdUnits wmma(std::string_view target, int half, int bytes) {
  return {target,
          {amd("bf16", DType::kBF16, "fl_bf16", 16, 32, half), amd("f16", DType::kF16, "fl_f16", 16, 32, half),
           amd("i8", DType::kI8, "signed char", 16, 32, bytes), amd("", DType::kBool, "", 0, 0, 0)}};
}

const MatrixUnit* find_amd_unit(DType operand, const Target& target) {
  static constexpr std::array kAll = {mfma("gfx90a", 4, 4),  mfma("gfx942", 4, 8),  mfma("gfx950", 8, 16),
                                      wmma("gfx11", 16, 16), wmma("gfx1200", 8, 8), wmma("gfx1201", 8, 8)};
  for (const AmdUnits& each : kAll) {
    if (!target.id.starts_with(each.target)) continue;
    for (const MatrixUnit& unit : each.units) {
      if (unit.operand == operand) return &unit;
    }
  }
  return nullptr;
}

}  // namespace

const MatrixUnit* find_matrix_unit(DType operand, const Target& target) {
  if (target.arch == "hip") return find_amd_unit(operand, target);
  const auto units = matrix_units();
  if (!cuda_features(target).warp_products) return nullptr;
  const auto found = std::find_if(units.begin(), units.end(), [&](const MatrixUnit& unit) { return unit.operand == operand; });
  return found == units.end() ? nullptr : &*found;
}

const MatrixUnit* find_plain_unit(const MatrixUnit& unit) {
  const auto units = matrix_units();
  const auto found = std::find_if(units.begin(), units.end(), [&](const MatrixUnit& each) { return each.name == "f32"; });
  return unit.operand == DType::kF32 && !unit.is_amds() ? &*found : nullptr;
}

}  // namespace fuselab::codegen
