// SPDX-License-Identifier: Apache-2.0
#include "core/ops/flops.h"

#include "core/ops/op_row.h"

namespace fuselab {

double flops_of(Op op, std::span<const TensorType> inputs, const TensorType& result, const Attributes& attributes) {
  const ops::OpRow& row = ops::row_of(op);
  if (row.flops != nullptr) return row.flops({op, inputs, attributes}, result);
  if (row.flops_per_element == 0) return 0;
  return row.flops_per_element * ops::elements(row.access == AccessPattern::kReduction ? inputs[0] : result);
}

}  // namespace fuselab
