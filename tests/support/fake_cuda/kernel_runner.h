// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tests/support/fake_cuda/device_model.h"

namespace fuselab::fake_cuda {

// Runs a generated kernel through the program that $FUSELAB_FAKE_CUDA_RUNNER names, on the allocations that its arguments point to.
// Without one, and to other kernels, nothing happens. kIllegalAddress when the program finds fault, with its words on stderr.
Code run_kernel(DeviceModel& model, const LaunchOf& launch);

}  // namespace fuselab::fake_cuda
