// SPDX-License-Identifier: Apache-2.0
#include "backends/cuda/cuda_generator.h"

#include "backends/codegen/emit/dialect.h"
#include "backends/codegen/simt/simt_family.h"
#include "backends/codegen/simt/simt_module.h"
#include "core/kernel/cuda_features.h"

namespace fuselab::cuda {
namespace {

std::string foreign(const Target& target) {
  return "target " + target.id + " is not a CUDA target";
}

}  // namespace

Support CudaGenerator::supports(const Graph& graph, const Target& target) const {
  if (target.arch != "cuda") return Support::no(foreign(target));
  return codegen::simt_support(graph, target);
}

ParameterSpace CudaGenerator::space(const Graph& graph, const Target& target) const {
  return codegen::simt_space(graph, target);
}

LaunchConfig CudaGenerator::default_config(const Graph& graph, const Target& target) const {
  return codegen::simt_default_config(graph, target);
}

Result<SourceModule> CudaGenerator::generate(const Graph& graph, const LaunchConfig& config, const Target& target) const {
  if (target.arch != "cuda") return Error{ErrorCode::kUnsupported, foreign(target)};
  return codegen::simt_module(graph, config, target, codegen::cuda_dialect(), id(), version());
}

// A kernel has 4 KiB of arguments on every architecture (CUDA C++ programming guide, "Function Parameters"); each tensor is a
// pointer.
constexpr int kMostTensors = 4096 / 8;

BackendCapabilities cuda_capabilities(const Target& target) {
  BackendCapabilities capabilities = codegen::simt_capabilities(true, kMostTensors);
  capabilities.fusion.takes_twin_products = capabilities.fusion.takes_normed_rows = capabilities.fusion.multiplies_8_bit =
      cuda_features(target).warp_products;
  capabilities.supports_profiling = true;
  return capabilities;
}

}  // namespace fuselab::cuda
