// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "core/base/result.h"

namespace fuselab::onnx {

// The axes of one tensor by name: a letter, or, for an axis that "..." stands for, a number from kEllipsis on, counted from the
// last.
using AxisNames = std::vector<int>;
inline constexpr int kEllipsis = 256;

struct EinsumEquation {
  std::vector<AxisNames> operands;
  AxisNames result;
};

// Parses "bij,bjk->bik" for operands of these ranks. Without "->" the result has the axes of "..." and then, in alphabetical order,
// every letter that occurs once.
Result<EinsumEquation> parse_einsum(const std::string& text, const std::vector<std::size_t>& ranks);

}  // namespace fuselab::onnx
