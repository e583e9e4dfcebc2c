// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <set>

#include "backends/codegen/rows/row_program.h"

namespace fuselab::codegen {

// Returns the columns where the pieces of a joined row end, including the row's own end; empty where no value is joined. Between
// two of them every column takes its values from the same pieces.
std::set<std::int64_t> row_cuts(const RowProgram& program);

}  // namespace fuselab::codegen
