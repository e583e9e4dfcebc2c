// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/base/result.h"
#include "core/base/support.h"
#include "core/kernel/compiled_kernel.h"

namespace fuselab {

// Optional ability of a backend: runs a generated kernel's text on the processor, thread by thread, where there is no device of its
// own. It is slow and times nothing. It shows whether the text computes the right numbers, and races and accesses out of bounds.
class KernelEmulator {
 public:
  virtual ~KernelEmulator() = default;
  // States whether this machine has what the emulator needs.
  virtual Availability probe() = 0;
  // Returns the bytes of the outputs, in the order of the ABI. `inputs` are packed as the ABI says. `order_seed` decides in which
  // order blocks and threads run.
  // Fails with kNumerics and what was found wrong in the kernel, with kCompileFailed, and with kUnavailable.
  virtual Result<std::vector<std::vector<std::byte>>> run(const SourceModule& source,
                                                          std::span<const std::vector<std::byte>> inputs,
                                                          std::uint64_t order_seed) = 0;
};

}  // namespace fuselab
