// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backends/codegen/ir/family.h"

namespace fuselab::codegen {

// Returns the family of attention kernels whose blocks have some queries and walk all keys, by matrix units.
Family matrix_attention();

}  // namespace fuselab::codegen
