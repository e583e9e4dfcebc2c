// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "core/graph/graph.h"
#include "core/ops/own_kernel.h"

namespace fuselab {

// A kernel that the user wrote, with what says what it should compute.
struct OwnReference {
  OwnKernel kernel;
  std::optional<Graph> graph;  // none: what its default configuration gives is right (kOwnDefault), or what was given (kOwnGiven)
  bool states_tolerance() const { return kernel.relative > 0 || kernel.absolute > 0; }
};

// The accepted error of an output, relative to its largest number, where nothing but the default configuration says what is right
// and the user states no tolerance: orders of summation differ.
double own_default_tolerance(DType dtype);

// Returns the reference of a graph that is one kernel of the user's own. Its inputs and outputs are those of the kernel, in their
// order and with their types. Nothing for other graphs.
// Fails with kUnsupported where the kernel has no reference, and with kInvalidArgument where the reference has other tensors.
Result<std::optional<OwnReference>> own_reference(const Graph& graph);

// Returns whether two graphs are kernels of the user's own that are to compute the same of the same tensors: another text of one
// kernel, say. Their keys then differ, and their figures may be compared.
bool ask_the_same(const Graph& a, const Graph& b);

}  // namespace fuselab
