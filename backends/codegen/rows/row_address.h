// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "backends/codegen/ir/ir.h"
#include "backends/codegen/ir/names.h"
#include "backends/codegen/rows/row_program.h"

namespace fuselab::codegen {

// Returns the offset in elements of a row of a tensor, `row` counting over the collapsed outer axes: row · stride where it is
// dense.
ExprPtr row_offset(const RowProgram& program, const RowAccess& access, const ExprPtr& row);

// Returns the offset for any axes: `index` counts over `extents`, which lie `strides` apart.
ExprPtr strided_offset(const std::vector<std::int64_t>& extents, const std::vector<std::int64_t>& strides, const ExprPtr& index);

// Returns the kernel's arguments in ABI order, named after the graph's values.
std::vector<KernelParameter> name_parameters(const Graph& graph, Names& names);

}  // namespace fuselab::codegen
