// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backends/codegen/cpu/families.h"

namespace fuselab::codegen {

// Generates MatMul, Gemm and Conv with element-wise operators behind them.
Family contraction_family();

}  // namespace fuselab::codegen
