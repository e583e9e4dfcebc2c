// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/graph/graph.h"

namespace fuselab {

// An operand of an integer product: numbers of 8 bits, i8 or u8, less their zero point.
struct ByteOperand {
  ValueId bytes{};
  DType dtype = DType::kI8;
  // An i8 or u8 tensor with one zero point for all, or one for each row of A or column of B; none: `zero_number` is that of all.
  std::optional<ValueId> zero;
  bool one_zero = true;
  std::int64_t zero_number = 0;

  bool has_zero() const { return zero.has_value() || zero_number != 0; }
};

// A MatMul of i32 whose operands are made of 8-bit numbers, as ONNX's MatMulInteger is: (A - zero of A) · (B - zero of B). B is one
// matrix; the rows of A's batch lie in order. Whoever multiplies the 8-bit numbers as they lie in memory reads a quarter of the
// bytes.
struct IntegerProduct {
  ByteOperand a, b;
  std::vector<NodeId> makers;                     // the operators that make the operands, ascending
  std::int64_t rows = 0, columns = 0, depth = 0;  // 0 where an extent is a symbol
};

// Returns nothing for a node that is no such product.
std::optional<IntegerProduct> integer_product_of(const Graph& graph, const Node& node);

}  // namespace fuselab
