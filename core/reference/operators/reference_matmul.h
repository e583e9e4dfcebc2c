// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/reference/operators/reference_node.h"

namespace fuselab::reference {

// MatMul or Gemm as a batch of products C[i,j] = Σ_k A[i,k]·B[k,j] over strided operands.
struct Product {
  std::int64_t rows = 1, columns = 1, depth = 1;
  std::int64_t a_row = 0, a_depth = 1;
  std::int64_t b_depth = 1, b_column = 0;
  std::vector<std::int64_t> a_base, b_base;  // one per batch

  std::int64_t per_batch() const { return rows * columns; }
};
Product product_of_node(const Node& node, std::span<const std::int64_t> a, std::span<const std::int64_t> b);

// Returns how many products are evaluated for these positions (ascending). A row of which much is needed is computed whole.
std::int64_t evaluated_products(const Product& p, std::span<const std::int64_t> positions);

// Returns |a| + e_a/κ. Where one operand of a product is exact, its error is κ·Σ(|a| + e_a/κ)·|b|, which covers the rounding of the
// sum and the error of the other operand in one more product.
std::vector<float> magnitudes_of(const Tensor& tensor, double kappa);

}  // namespace fuselab::reference
