// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backends/codegen/ir/family.h"

namespace fuselab::codegen {

// Returns products of 8-bit numbers with their sums in 32 bits.
Family integer_product_family();

}  // namespace fuselab::codegen
