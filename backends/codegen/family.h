// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

#include "backends/codegen/ir.h"
#include "core/base/result.h"
#include "core/base/support.h"
#include "core/graph/graph.h"
#include "core/kernel/compiled_kernel.h"
#include "core/kernel/launch_config.h"
#include "core/tuning/parameter_space.h"

namespace fuselab::codegen {

// One way of generating code, with what may be tuned in it. Pure functions; a family is a row of families().
struct Family {
  std::string_view name;
  Support (*supports)(const Graph&, const Target&);
  ParameterSpace (*space)(const Graph&, const Target&);
  LaunchConfig (*default_config)(const Graph&, const Target&);
  Result<Function> (*lower)(const Graph&, const LaunchConfig&, const Target&);
};

// In order of preference.
std::span<const Family> families();

// The first family that supports the graph; or why the one does not that the graph's operators belong to: "rows: …".
Result<const Family*> find_family(const Graph& graph, const Target& target);

}  // namespace fuselab::codegen
