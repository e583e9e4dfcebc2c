// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backends/codegen/ir/family.h"

namespace fuselab::codegen {

// Products, and convolutions as products, by tiles on AMD's matrix units (resources/kernels/hip/skeletons/tiles.h).
Family unit_tiles();

}  // namespace fuselab::codegen
