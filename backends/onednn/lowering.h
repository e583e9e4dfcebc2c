// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

#include "backends/onednn/library/primitive_spec.h"
#include "core/base/result.h"
#include "core/base/support.h"
#include "core/graph/graph.h"

namespace fuselab::onednn {

// States whether the library computes what the primitive's description says: not all of its post-ops work together.
Support computes_as_said(const PrimitiveSpec& spec);

// Returns the name of the implementation that the library takes for a primitive ("brg:avx512_core"), or why it has none.
using AskLibrary = std::function<Result<std::string>(const PrimitiveSpec&)>;

// Returns true for "ref:any" and the like: correct, but written for no processor in particular.
bool is_reference_path(std::string_view implementation);

// Cuts a concrete graph into primitives, in the order that they run. An element-wise operator behind a primitive becomes a post-op
// of it where the library implements that without falling back to its reference path, else a primitive of its own, which says why.
// Fails with kUnsupported, naming the operator that no primitive computes.
Result<PrimitivePlan> lower(const Graph& graph, const AskLibrary& ask);

}  // namespace fuselab::onednn
