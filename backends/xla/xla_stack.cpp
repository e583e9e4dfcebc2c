// SPDX-License-Identifier: Apache-2.0
#include "backends/xla/xla_stack.h"

#include "backends/host/processor.h"
#include "backends/xla/claims.h"
#include "core/base/content_hash.h"

namespace fuselab::xla {

const Result<std::shared_ptr<PjrtLibrary>>& XlaStack::library() {
  if (!found_) found_.emplace(open_());
  return *found_;
}

std::string target_id(const PjrtLibrary& library) {
  static const std::string kHere = host::describe_cpu().target.id;
  return "xla-" + library.interface() + "-" + library.build() + "-" + kHere;
}

DeviceInfo describe_device(const PjrtLibrary& library) {
  DeviceInfo info = host::describe_cpu();
  const std::string processor = info.uuid;
  info.id = "xla:0";
  info.backend = "xla";
  info.name += " (this CPU through XLA, PJRT " + library.interface() + ")";
  info.driver_version = library.interface();
  info.properties["uuid"] = processor;  // the silicon that cpu:0 is
  info.properties["library"] = library.path();
  info.properties["build"] = library.build();
  info.properties["stablehlo"] = library.stablehlo();
  info.properties["outputs"] = "given to every launch and reused (donated): allocated before the time";
  info.properties.erase("simd");
  info.other_targets.clear();
  info.target.id = target_id(library);
  info.target.arch = "xla";
  info.target.limits["max_threads"] = static_cast<std::int64_t>(host::usable_cpus().size());
  IdentityHasher identity("xla");
  identity.add("processor", processor).add("interface", library.interface()).add("build", library.build());
  info.uuid = identity.finish().hex();
  return info;
}

BackendCapabilities xla_capabilities() {
  BackendCapabilities capabilities;
  capabilities.patterns = {
      "Single",        "ElementWise", "ReductionThenElementWise", "ConvActivation", "ConvBatchNorm", "LinearActivation",
      "Normalization", "Softmax",     "RotaryEmbedding",          "SwiGLU",         "ResidualNorm",  "Attention",
      "Mixed",         "WholeModel"};
  capabilities.dtypes = {DType::kF32};
  capabilities.operators = claimed_operators();
  capabilities.fusion.takes_prologue = true;  // XLA cuts the program itself
  capabilities.supports_autotuning = true;
  capabilities.supports_jit = true;
  capabilities.supports_binary_cache = true;
  return capabilities;
}

}  // namespace fuselab::xla
