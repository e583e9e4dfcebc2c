// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "core/kernel/compiled_kernel.h"

namespace fuselab::cuda {

// The architectures that kernels are generated and compiled for, with or without such a device: "sm_75" … "sm_121", arch "cuda".
// Limits: those of virtual_target(). How many multiprocessors there are depends on the device and is therefore absent.
const std::vector<Target>& cuda_targets();

}  // namespace fuselab::cuda
