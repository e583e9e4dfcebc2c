// SPDX-License-Identifier: Apache-2.0
#include "backends/codegen/matrix/matrix_unit.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace fuselab::codegen {

std::span<const MatrixUnit> matrix_units() {
  static constexpr std::array kUnits = {
      MatrixUnit{"bf16", DType::kBF16, "fl_bf16", "unit_bf16", 80, 1, 4, true},
      MatrixUnit{"f16", DType::kF16, "fl_f16", "unit_f16", 80, 1, 4, true},
      MatrixUnit{"tf32x3", DType::kF32, "float", "unit_tf32x3", 80, 2, 8, true},
      MatrixUnit{"i8", DType::kI8, "signed char", "unit_i8", 80, 1, 4, false},
  };
  return kUnits;
}

const MatrixUnit* find_matrix_unit(DType operand, const Target& target) {
  const auto units = matrix_units();
  const auto found = std::find_if(units.begin(), units.end(), [&](const MatrixUnit& unit) {
    return unit.operand == operand && architecture_of(target) >= unit.least_architecture;
  });
  return found == units.end() ? nullptr : &*found;
}

int architecture_of(const Target& target) {
  constexpr std::string_view kPrefix = "sm_";
  int architecture = 0;
  if (target.arch != "cuda" || !target.id.starts_with(kPrefix)) return 0;
  std::from_chars(target.id.data() + kPrefix.size(), target.id.data() + target.id.size(), architecture);
  return architecture;
}

}  // namespace fuselab::codegen
