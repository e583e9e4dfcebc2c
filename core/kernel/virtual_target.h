// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/kernel/compiled_kernel.h"

namespace fuselab {

// A target without a device of it: what its architecture documents, no more. Caches, memory and the number of cores or
// multiprocessors are a device's own, so they are absent, and one core stands for all.
struct VirtualTarget {
  Target target;
  std::string backend;  // who generates and compiles for it
};

// By id: the levels of x86-64, armv8-a+simd, CUDA's sm_75 … sm_120. kNotFound lists them.
Result<VirtualTarget> virtual_target(std::string_view id);
std::vector<std::string> virtual_target_ids();

}  // namespace fuselab
