// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backends/codegen/ir/family.h"

namespace fuselab::codegen {

// Returns the family of kernels that make tiles of a contraction by matrix units.
Family matrix_tiles();

}  // namespace fuselab::codegen
