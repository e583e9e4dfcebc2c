// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace fuselab::hip {

// Tries to open /dev/kfd, by which every ROCm program reaches AMD's kernel driver. Returns 0 or the number of the error.
int try_kernel_driver(const std::string& kfd);

// Returns what such an error means and what to do, in one line.
std::string why_no_gpu(const std::string& kfd, int error);

}  // namespace fuselab::hip
