// SPDX-License-Identifier: Apache-2.0
#include "backends/opencl/opencl_generator.h"

#include <algorithm>

#include "backends/codegen/emit/dialect.h"
#include "backends/codegen/ir/axes.h"
#include "backends/codegen/simt/simt_family.h"
#include "backends/codegen/simt/simt_module.h"

namespace fuselab::opencl {
namespace {

bool has_doubles(const Graph& graph) {
  return std::any_of(graph.values().begin(), graph.values().end(),
                     [](const Value& value) { return value.type.dtype == DType::kF64; });
}

// Returns whether the target's language has what this graph needs, before any family is asked.
Support target_allows(const Graph& graph, const Target& target) {
  if (target.arch != "opencl") return Support::no("target " + target.id + " is not an OpenCL target");
  if (has_doubles(graph) && codegen::limit_of(target, "f64", 0) == 0) {
    return Support::no("the device has no double precision (cl_khr_fp64)");
  }
  return {};
}

}  // namespace

Support OpenClGenerator::supports(const Graph& graph, const Target& target) const {
  if (Support allowed = target_allows(graph, target); !allowed.yes) return allowed;
  return codegen::simt_support(graph, target);
}

ParameterSpace OpenClGenerator::space(const Graph& graph, const Target& target) const {
  return codegen::simt_space(graph, target);
}

LaunchConfig OpenClGenerator::default_config(const Graph& graph, const Target& target) const {
  return codegen::simt_default_config(graph, target);
}

Result<SourceModule> OpenClGenerator::generate(const Graph& graph, const LaunchConfig& config, const Target& target) const {
  if (const Support allowed = target_allows(graph, target); !allowed.yes) return Error{ErrorCode::kUnsupported, allowed.why_not};
  return codegen::simt_module(graph, config, target, codegen::opencl_dialect(), id(), version());
}

BackendCapabilities opencl_capabilities(const Target& target) {
  // A tensor is a pointer; where the device does not say what room there is, as much as the full profile promises.
  const int most_tensors = static_cast<int>(codegen::limit_of(target, "argument_bytes", 1024) / 8);
  // Its blocks would compute an element once for each block along the other side, and nothing is kept: takes_prologue stays off.
  BackendCapabilities capabilities = codegen::simt_capabilities(codegen::limit_of(target, "f64", 0) != 0, most_tensors);
  capabilities.supports_profiling = true;
  return capabilities;
}

}  // namespace fuselab::opencl
