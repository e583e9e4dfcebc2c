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

const MatrixUnit* find_matrix_unit(DType operand, const Target& target) {
  const auto units = matrix_units();
  if (!cuda_features(target).warp_products) return nullptr;
  const auto found = std::find_if(units.begin(), units.end(), [&](const MatrixUnit& unit) { return unit.operand == operand; });
  return found == units.end() ? nullptr : &*found;
}

const MatrixUnit* find_plain_unit(const MatrixUnit& unit) {
  const auto units = matrix_units();
  const auto found = std::find_if(units.begin(), units.end(), [&](const MatrixUnit& each) { return each.name == "f32"; });
  return unit.operand == DType::kF32 ? &*found : nullptr;
}

}  // namespace fuselab::codegen
