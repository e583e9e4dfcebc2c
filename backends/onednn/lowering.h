// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

#include "backends/onednn/library/primitive_spec.h"
#include "core/base/result.h"
#include "core/graph/graph.h"

namespace fuselab::onednn {

// The name of the implementation that the library takes for a primitive ("brg:avx512_core"), or why it has none.
using AskLibrary = std::function<Result<std::string>(const PrimitiveSpec&)>;

// "ref:any" and its like: correct, and written for no processor.
bool is_reference_path(std::string_view implementation);

// Cuts a concrete graph into primitives, in the order that they run: what follows a primitive element by element becomes a post-op
// of it where the library implements that without falling back to its reference path, else a primitive of its own, which says why.
// kUnsupported names the operator that no primitive computes.
Result<PrimitivePlan> lower(const Graph& graph, const AskLibrary& ask);

}  // namespace fuselab::onednn
