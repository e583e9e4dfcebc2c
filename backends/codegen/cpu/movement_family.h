// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backends/codegen/cpu/families.h"

namespace fuselab::codegen {

// Generates single operators that only move data: Transpose, Concat, Slice, Split, Gather, Expand, Reshape and the other views.
Family movement_family();

}  // namespace fuselab::codegen
