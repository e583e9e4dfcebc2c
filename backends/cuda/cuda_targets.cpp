// SPDX-License-Identifier: Apache-2.0
#include "backends/cuda/cuda_targets.h"

namespace fuselab::cuda {
namespace {

// CUDA C++ Programming Guide, "Compute Capabilities", table "Technical Specifications per Compute Capability": 1024 threads per
// block, warps of 32, 64 Ki registers per block and 255 per thread for all of these; shared memory per block is 48 KiB where it
// is declared statically, and after opting in 64 KiB (7.5), 163 KiB (8.0, 8.7), 99 KiB (8.6, 8.9, 12.x) or 227 KiB
// (9.0, 10.x, 11.0).
Target target(const char* id, std::int64_t shared_optin_kib) {
  return {id,
          "cuda",
          {{"max_threads", 1024},
           {"warp", 32},
           {"shared_bytes", 48 << 10},
           {"shared_optin_bytes", shared_optin_kib << 10},
           {"registers_per_block", 64 << 10}}};
}

}  // namespace

const std::vector<Target>& cuda_targets() {
  static const std::vector<Target> targets = {target("sm_75", 64),   target("sm_80", 163),  target("sm_86", 99),
                                              target("sm_87", 163),  target("sm_89", 99),   target("sm_90", 227),
                                              target("sm_100", 227), target("sm_103", 227), target("sm_110", 227),
                                              target("sm_120", 99),  target("sm_121", 99)};
  return targets;
}

}  // namespace fuselab::cuda
