// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>

#include "core/base/result.h"
#include "core/graph/graph.h"

namespace fuselab::conformance {

// A built-in model at its first default extents.
Result<Graph> bound_model(const std::string& id);

// The distinct fused pieces of a model that run something: canonical text → name.
std::map<std::string, std::string> pieces_of(const Graph& model);

}  // namespace fuselab::conformance
