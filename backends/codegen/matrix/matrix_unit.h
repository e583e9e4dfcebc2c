// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "core/kernel/compiled_kernel.h"
#include "core/types/dtype.h"

namespace fuselab::codegen {

// Products of small matrices by the warps of a GPU, as a skeleton's text drives them: NVIDIA's (mma.sync, or what gives each lane
// the same results), and AMD's (MFMA, WMMA).
struct MatrixUnit {
  std::string_view name;
  DType operand;                  // in memory and in shared memory
  std::string_view operand_word;  // the same in the words of CUDA and HIP
  std::string_view skeleton;      // the text that defines fl_unit
  int sums_of_result;             // registers that one result takes
  int registers_of_fragment;      // of a 16-row piece of an operand
  int fewest_turned_columns;      // in a tile whose lines are steps of depth: such lines are read without bank conflicts
  // Of AMD's units alone: lines of each operand, lanes, and the steps of depth that a lane gives (hip/skeletons/unit.h).
  int lines = 0, lanes = 0, each = 0;
  bool is_amds() const { return lines > 0; }
  // Neighbouring columns of a row whose sums a lane has.
  int columns_together() const { return !is_amds() ? 2 : lanes == 32 && each == 16 ? 1 : 4; }
  // Elements of an operand that one product takes along depth: 32 bytes.
  std::int64_t depth() const { return 256 / bits_of(operand); }
  std::int64_t part() const { return 128 / bits_of(operand); }
};

std::span<const MatrixUnit> matrix_units();  // NVIDIA's
// Returns the unit for products of two operands of a type on a target, or null.
const MatrixUnit* find_matrix_unit(DType operand, const Target& target);
// Returns what multiplies the operands of a unit by the threads' own arithmetic, or null: of f32, whose range and accuracy it has.
const MatrixUnit* find_plain_unit(const MatrixUnit& unit);

}  // namespace fuselab::codegen
