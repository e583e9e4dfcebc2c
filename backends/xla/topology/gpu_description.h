// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "core/base/result.h"
#include "core/kernel/compiled_kernel.h"

namespace fuselab::xla {

// A GPU as XLA's compiler wants to know it without one.
struct GpuDescription {
  std::string name;  // of the device that stands for the target: "NVIDIA H200 141GB HBM3e"
  std::string text;  // a GpuTargetConfigProto as text
};

// Describes the device that stands for a CUDA target, from datasheets and the target's limits.
// Fails with kUnsupported, naming those that there are, where none does.
Result<GpuDescription> gpu_description(const Target& target);

}  // namespace fuselab::xla
