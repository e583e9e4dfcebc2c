// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backends/codegen/ir/family.h"

namespace fuselab::codegen {

// Returns the family of kernels that stream a matrix once for few rows, by matrix units.
Family matrix_few_rows();

}  // namespace fuselab::codegen
