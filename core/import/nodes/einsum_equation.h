// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "core/base/result.h"

namespace fuselab::onnx {

// The axes of one tensor by name: a letter, or a number from kEllipsis on for an axis that "..." stands for, counted from the last.
using AxisNames = std::vector<int>;
inline constexpr int kEllipsis = 256;

struct EinsumEquation {
  std::vector<AxisNames> operands;
  AxisNames result;
};

// Reads "bij,bjk->bik" for operands of these ranks. Without "->" the result has the axes of "..." and then every letter that is
// there once, in alphabetical order.
Result<EinsumEquation> parse_einsum(const std::string& text, const std::vector<std::size_t>& ranks);

}  // namespace fuselab::onnx
