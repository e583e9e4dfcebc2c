// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backends/codegen/ir/ir.h"
#include "core/graph/graph.h"

namespace fuselab::codegen {

// Returns true when single elements may be computed in f32: no tensor is of f64, no power has a whole exponent or a whole result,
// and nothing that the graph computes in reals decides about a whole number.
bool single_precision_suffices(const Graph& graph);

// Rewrites a kernel that computes in f64 so that it computes in f32. Memory keeps its types.
void compute_in_single_precision(Function& function);

}  // namespace fuselab::codegen
