// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "core/graph/op.h"

namespace fuselab::codegen {

// Whether any family writes this operator. Of which shapes and attributes, the families say.
bool is_generated(Op op);

// Element-wise operators that only elements_family() writes: in double and one element at a time, their neighbours with them.
std::vector<Op> written_alone();

}  // namespace fuselab::codegen
