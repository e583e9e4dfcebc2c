// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/cost/matrix_product.h"
#include "core/reference/operators/operator_row.h"

namespace fuselab::reference {

// Returns how many products are evaluated for these positions (ascending). A row of which much is needed is computed whole.
std::int64_t evaluated_products(const MatrixProduct& p, std::span<const std::int64_t> positions);

// Returns |a| + e_a/κ. Where one operand of a product is exact, its error is κ·Σ(|a| + e_a/κ)·|b|, which covers the rounding of the
// sum and the error of the other operand in one more product. A convolution takes it of both, which is more than its error where
// its weights are computed.
std::vector<float> magnitudes_of(const Tensor& tensor, double kappa);

}  // namespace fuselab::reference
