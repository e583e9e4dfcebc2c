// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/base/result.h"
#include "core/base/support.h"
#include "core/kernel/compiled_kernel.h"

namespace fuselab {

// The resources that a kernel needs of a multiprocessor.
struct LaunchDemand {
  std::int64_t threads = 1;  // per block
  std::int64_t dynamic_shared_bytes = 0;
  ResourceUsage resources;  // registers and shared_bytes (static); unknown ones do not limit
};

// Returns the demand of a kernel with these resources when it is called by this ABI, whose shared_bytes include static arrays.
// Fails where the block depends on dimensions.
Result<LaunchDemand> launch_demand(const KernelAbi& abi, ResourceUsage resources);

// The predicted outcome of a launch, made without a device.
struct LaunchPrediction {
  Support launches;         // the reason if it does not: "the kernel needs 300 KiB of shared memory per block, sm_90 has 227 KiB"
  std::int64_t blocks = 0;  // per multiprocessor at a time
  std::int64_t warps = 0;   // blocks, counted in warps
  std::int64_t most_warps = 0;
  std::string limited_by;  // "threads", "registers", "shared memory" or "blocks"

  double occupancy() const { return most_warps > 0 ? static_cast<double>(warps) / static_cast<double>(most_warps) : 0; }
};

// Occupancy as NVIDIA's calculator has it (cuda_occupancy.h of the toolkit, cudaOccMaxActiveBlocksPerMultiprocessor): registers
// come in units of 256 per warp out of a quarter of the multiprocessor's, shared memory in units of 128 bytes (256 before sm_80)
// with the driver's reserve on top. A target may state other units of both, as AMD's do. Limits that the target does not
// state do not limit. Pure.
LaunchPrediction predict_launch(const LaunchDemand& demand, const Target& target);

// The most registers, fewer than a kernel takes, with which more of its blocks fit.
struct RegisterStep {
  std::int64_t registers = 0;
  LaunchPrediction then;
};
// Returns nothing where registers do not limit the launch.
std::optional<RegisterStep> next_register_step(const LaunchDemand& demand, const Target& target);

}  // namespace fuselab
