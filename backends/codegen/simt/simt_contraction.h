// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backends/codegen/ir/family.h"

namespace fuselab::codegen {

// Generates MatMul, Gemm and 2-D Conv with element-wise operators behind them, for many threads.
Family simt_contraction();

}  // namespace fuselab::codegen
