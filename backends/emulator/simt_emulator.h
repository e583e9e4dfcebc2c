// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/backend/kernel_emulator.h"

namespace fuselab::simt {

// Emulates CUDA C++ kernels that stand on resources/kernels/cuda/prelude.cuh, with a C++ compiler of this machine.
class SimtEmulator final : public KernelEmulator {
 public:
  Availability probe() override;
  Result<std::vector<std::vector<std::byte>>> run(const SourceModule& source, std::span<const std::vector<std::byte>> inputs,
                                                  std::uint64_t order_seed) override;
};

// Removes what the emulations of killed processes left in the temporary directory.
void sweep_emulations();

}  // namespace fuselab::simt
