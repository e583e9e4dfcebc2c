// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backends/codegen/ir/family.h"

namespace fuselab::codegen {

// Returns the family of attention kernels for few queries against many keys, which blocks share out, by matrix units.
Family matrix_decode();

}  // namespace fuselab::codegen
