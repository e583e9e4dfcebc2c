// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backends/codegen/ir/family.h"

namespace fuselab::codegen {

// Generates graphs that no other family takes, one element at a time, in double and without vectors. A graph may hold one operator
// that reads more than the element at its own place, and element-wise operators and views around it; behind TopK, whose rows are
// searched once for all their results, only views.
Family elements_family();

// Returns true when the family writes this operator. The family decides for which shapes and attributes.
bool elements_cover(Op op);

}  // namespace fuselab::codegen
