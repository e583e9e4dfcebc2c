// SPDX-License-Identifier: Apache-2.0
#include "backends/rocm/hip_generator.h"

#include "backends/codegen/emit/dialect.h"
#include "backends/codegen/matrix/matrix_unit.h"
#include "backends/codegen/simt/simt_family.h"
#include "backends/codegen/simt/simt_module.h"

namespace fuselab::hip {
namespace {

std::string foreign(const Target& target) {
  return "target " + target.id + " is none of AMD's GPUs";
}

// The arguments of a kernel fill 4 KiB at most, and each tensor is a pointer.
constexpr int kMostTensors = 4096 / 8;

}  // namespace

Support HipGenerator::supports(const Graph& graph, const Target& target) const {
  if (target.arch != "hip") return Support::no(foreign(target));
  return codegen::simt_support(graph, target);
}

ParameterSpace HipGenerator::space(const Graph& graph, const Target& target) const {
  return codegen::simt_space(graph, target);
}

LaunchConfig HipGenerator::default_config(const Graph& graph, const Target& target) const {
  return codegen::simt_default_config(graph, target);
}

Result<SourceModule> HipGenerator::generate(const Graph& graph, const LaunchConfig& config, const Target& target) const {
  if (target.arch != "hip") return Error{ErrorCode::kUnsupported, foreign(target)};
  return codegen::simt_module(graph, config, target, codegen::hip_dialect(), id(), version());
}

BackendCapabilities hip_capabilities(const Target& target) {
  BackendCapabilities capabilities = codegen::simt_capabilities(true, kMostTensors);
  capabilities.fusion.multiplies_8_bit = codegen::find_matrix_unit(DType::kI8, target) != nullptr;
  return capabilities;
}

}  // namespace fuselab::hip
