// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <set>

#include "backends/codegen/rows/row_program.h"

namespace fuselab::codegen {

// Columns where the pieces of a joined row end, the row's own end among them; empty where no value is joined. Between two
// of them every column takes its values from the same pieces.
std::set<std::int64_t> row_cuts(const RowProgram& program);

}  // namespace fuselab::codegen
