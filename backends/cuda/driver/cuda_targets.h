// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "core/kernel/compiled_kernel.h"

namespace fuselab::cuda {

// Returns the architectures that kernels are generated and compiled for, with or without such a device: "sm_75" … "sm_121", arch
// "cuda". Their limits are those of virtual_target(). The number of multiprocessors depends on the device and is absent.
const std::vector<Target>& cuda_targets();

}  // namespace fuselab::cuda
