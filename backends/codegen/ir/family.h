// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "backends/codegen/ir/ir.h"
#include "core/base/result.h"
#include "core/base/support.h"
#include "core/graph/graph.h"
#include "core/kernel/compiled_kernel.h"
#include "core/kernel/launch_config.h"
#include "core/tuning/parameter_space.h"

namespace fuselab::codegen {

// One way of generating code, with its tuning parameters. Its functions are pure; a family is a row of families().
struct Family {
  std::string_view name;
  Support (*supports)(const Graph&, const Target&);
  ParameterSpace (*space)(const Graph&, const Target&);
  LaunchConfig (*default_config)(const Graph&, const Target&);
  Result<Function> (*lower)(const Graph&, const LaunchConfig&, const Target&);
};

}  // namespace fuselab::codegen
