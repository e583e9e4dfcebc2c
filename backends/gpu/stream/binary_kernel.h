// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

namespace fuselab::gpu::stream {

// The facts that a binary states about one of its kernels. Others are absent.
struct BinaryKernel {
  std::optional<std::int64_t> registers;                                    // per thread, accumulators included
  std::optional<std::int64_t> accumulators, scalar_registers, spill_bytes;  // AMD's alone
  std::optional<std::int64_t> lanes;                                        // of a wavefront: AMD's alone
  std::optional<std::int64_t> stack_bytes;                                  // per thread, spills included
  std::optional<std::int64_t> max_threads;                                  // from __launch_bounds__
  std::int64_t shared_bytes = 0;                                            // static, without what the driver reserves
  std::int64_t code_bytes = 0;
  std::int64_t parameters = 0;
};

}  // namespace fuselab::gpu::stream
