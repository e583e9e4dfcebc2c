// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/graph/op.h"

namespace fuselab {

// Returns the number of simple operations (an addition of two registers' elements is one) that an element-wise operator, or a batch
// normalisation, takes for each element in a generated kernel. It is the price of computing the operator once more, whereas
// flops_per_element is what a kernel is credited with. The weights come from kernels measured on one machine, see
// resources/docs/fusion.md.
double op_weight(Op op);

}  // namespace fuselab
