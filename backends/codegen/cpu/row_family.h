// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backends/codegen/cpu/families.h"

namespace fuselab::codegen {

// Generates element-wise groups with broadcasting, and groups around reductions over the last axes.
Family row_family();

}  // namespace fuselab::codegen
