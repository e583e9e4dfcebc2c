// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/graph/graph.h"

namespace fuselab {

// MatMul, or Gemm without its alpha, beta and C, as a batch of products C[i,j] = Σ_k A[i,k]·B[k,j] over strided operands. The
// results lie one behind the other, row-major.
struct MatrixProduct {
  std::int64_t rows = 1, columns = 1, depth = 1;
  std::int64_t a_row = 0, a_depth = 1;
  std::int64_t b_depth = 1, b_column = 0;
  std::vector<std::int64_t> a_base, b_base;  // where each of the batch begins, in elements

  std::int64_t per_batch() const { return rows * columns; }
};
// `a` and `b`: extents of the operands.
MatrixProduct matrix_product_of(const Node& node, std::span<const std::int64_t> a, std::span<const std::int64_t> b);

}  // namespace fuselab
