// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/kernel/compiled_kernel.h"

namespace fuselab {

// A target without a device: only what its architecture documents. Caches, memory and the number of cores or multiprocessors belong
// to a device, so they are absent, and one core stands for all.
struct VirtualTarget {
  Target target;
  std::string backend;  // the backend that generates and compiles for it
};

// Finds a target by id: the levels of x86-64, armv8-a+simd, CUDA's sm_75 … sm_121, sm_90a among them, AMD's gfx90a,
// gfx942, gfx950, gfx1100 and gfx1201, Google's tpu-v5e and tpu-v6e.
// Fails with kNotFound, listing them.
Result<VirtualTarget> virtual_target(std::string_view id);
std::vector<std::string> virtual_target_ids();

}  // namespace fuselab
