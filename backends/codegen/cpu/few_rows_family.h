// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backends/codegen/ir/family.h"

namespace fuselab::codegen {

// Products of one to four rows with a matrix, as decoding has them: the time is that of reading the matrix once.
Family few_rows_family();

}  // namespace fuselab::codegen
