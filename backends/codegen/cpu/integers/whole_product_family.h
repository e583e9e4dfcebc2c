// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backends/codegen/ir/family.h"

namespace fuselab::codegen {

// Returns products of i32 by themselves, by digits of 16 bits.
Family whole_product_family();

}  // namespace fuselab::codegen
