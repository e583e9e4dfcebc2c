// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backends/codegen/ir/family.h"

namespace fuselab::codegen {

// Attention on AMD's matrix units (resources/kernels/hip/skeletons/attention.h).
Family unit_attention();

}  // namespace fuselab::codegen
