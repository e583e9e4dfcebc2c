// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backends/codegen/ir/family.h"

namespace fuselab::codegen {

// Whatever one element can be computed of at a time, in double and without vectors: what no other family takes. A graph may hold
// one operator that reaches beyond its own element, and element-wise operators and views around it; behind TopK, whose rows are
// looked through once for all their results, views alone.
Family elements_family();

// Whether the family writes this operator. Of which shapes and attributes, it says itself.
bool elements_cover(Op op);

}  // namespace fuselab::codegen
