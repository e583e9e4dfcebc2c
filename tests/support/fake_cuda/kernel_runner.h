// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "tests/support/fake_cuda/device_model.h"

namespace fuselab::fake_cuda {

// Bytes that Fuselab lays before and behind every buffer: 512, or none with FUSELAB_GUARD_ZONES=0.
std::size_t guard_zone();

// Runs a generated kernel through the program that $FUSELAB_FAKE_CUDA_RUNNER names, on the allocations that its arguments point to.
// Without one, and to other kernels, nothing happens. kIllegalAddress when the program finds fault, with its words on stderr.
Code run_kernel(DeviceModel& model, const LaunchOf& launch);

}  // namespace fuselab::fake_cuda
