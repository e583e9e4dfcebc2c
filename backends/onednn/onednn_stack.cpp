// SPDX-License-Identifier: Apache-2.0
#include "backends/onednn/onednn_stack.h"

#include <algorithm>

#include "backends/host/processor.h"
#include "backends/onednn/claims.h"
#include "backends/onednn/library/primitive.h"
#include "backends/onednn/lowering.h"
#include "core/base/content_hash.h"
#include "core/fusion/match/group.h"

namespace fuselab::onednn {
namespace {

// Returns whether the library multiplies matrices of this type by more than its reference path.
bool multiplies(const OneDnnLibrary& library, DType dtype) {
  PrimitiveSpec spec;
  spec.kind = PrimitiveKind::kMatMul;
  spec.source = {0, row_major(dtype, {64, 64})};
  spec.weights = spec.source;
  spec.destination = spec.source;
  const auto described = DescribedPrimitive::describe(library, spec, {});
  return described.ok() && !is_reference_path(described.value().implementation());
}

}  // namespace

const Result<std::shared_ptr<OneDnnLibrary>>& OneDnnStack::library() {
  if (!found_) found_.emplace(open_());
  return *found_;
}

DeviceInfo describe_device(const OneDnnLibrary& library) {
  DeviceInfo info = host::describe_cpu();
  const std::string processor = info.uuid;
  info.id = "onednn:0";
  info.backend = "onednn";
  // A processor that other backends drive as well: whoever reads a table must see by which way.
  info.name += " (this CPU through oneDNN " + library.version() + ", " + library.isa() + ")";
  info.driver_version = library.version();
  info.properties["uuid"] = processor;  // the silicon that cpu:0 is
  info.properties["library"] = library.path();
  info.properties["library_hash"] = library.hash();
  info.properties["isa"] = library.isa();
  info.properties["threads"] = library.team().name();
  info.properties.erase("simd");
  info.other_targets.clear();
  info.target.id = "onednn-" + library.version() + "-" + library.isa();
  info.target.arch = "onednn";
  info.target.limits["max_threads"] = library.team().most();
  IdentityHasher identity("onednn");
  identity.add("processor", processor).add("version", library.version()).add("hash", library.hash());
  info.uuid = identity.finish().hex();
  return info;
}

// The library cuts a piece into calls of its own, so that little limits it: an operator without a primitive would keep its
// neighbours from running. Operators that other backends fuse are not named: that would take the fused kernel from them.
std::vector<Op> kept_apart() {
  std::vector<Op> apart;
  const std::vector<Op>& claimed = claimed_operators();
  for (int i = 0; i < static_cast<int>(Op::kConstant); ++i) {
    const Op op = static_cast<Op>(i);
    const bool computed = std::find(claimed.begin(), claimed.end(), op) != claimed.end();
    if (is_elementwise(op) && shares_no_kernel(op) && !computed) apart.push_back(op);
  }
  return apart;
}

BackendCapabilities capabilities_of(const OneDnnLibrary& library) {
  BackendCapabilities capabilities;
  capabilities.patterns = {"Single",           "ElementWise",  "ReductionThenElementWise", "ConvActivation", "ConvBatchNorm",
                           "LinearActivation", "Normalization"};
  capabilities.dtypes = {DType::kF32};
  for (const DType dtype : {DType::kF16, DType::kBF16}) {
    if (multiplies(library, dtype)) capabilities.dtypes.push_back(dtype);
  }
  capabilities.operators = claimed_operators();
  capabilities.fusion.takes_prologue = true;  // as calls of their own
  capabilities.fusion.writes_alone = kept_apart();
  capabilities.supports_autotuning = true;
  capabilities.supports_jit = true;
  capabilities.supports_binary_cache = true;
  return capabilities;
}

}  // namespace fuselab::onednn
