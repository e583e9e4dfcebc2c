// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "backends/codegen/emit/dialect.h"
#include "core/backend/backend.h"

namespace fuselab::codegen {

// These implement a generator for devices of many threads: simt_families() in a dialect's words.
Support simt_support(const Graph& graph, const Target& target);
ParameterSpace simt_space(const Graph& graph, const Target& target);
LaunchConfig simt_default_config(const Graph& graph, const Target& target);
// Returns a module whose text names `generator`; its arguments are the graph's inputs and outputs in order.
Result<SourceModule> simt_module(const Graph& graph, const LaunchConfig& config, const Target& target, const Dialect& dialect,
                                 std::string_view generator, std::string_view version);

}  // namespace fuselab::codegen
