// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/graph/op.h"

namespace fuselab::codegen {

// Whether any family writes this operator. Of which shapes and attributes, the families say.
bool is_generated(Op op);

}  // namespace fuselab::codegen
