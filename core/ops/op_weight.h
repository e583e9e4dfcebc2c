// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/graph/op.h"

namespace fuselab {

// Simple operations (an addition of two registers' elements is one) that an element-wise operator, or a batch normalisation, takes
// for each element in a generated kernel: what computing it once more costs, where flops_per_element is what it is credited with.
// From kernels measured on one machine, see resources/docs/fusion.md.
double op_weight(Op op);

}  // namespace fuselab
