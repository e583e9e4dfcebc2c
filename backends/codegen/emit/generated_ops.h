// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "core/ops/op.h"

namespace fuselab::codegen {

// Returns true when any family writes this operator. The families decide for which shapes and attributes.
bool is_generated(Op op);

// Returns the element-wise operators that only elements_family() writes: in double and one element at a time, as it then does their
// neighbours.
std::vector<Op> written_alone();

}  // namespace fuselab::codegen
