// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backends/codegen/cpu/families.h"

namespace fuselab::codegen {

// Generates MaxPool and AveragePool over 2-D windows, with element-wise operators behind them.
Family pool_family();

}  // namespace fuselab::codegen
