// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "backends/emulator/launch.h"
#include "core/base/result.h"
#include "core/kernel/compiled_kernel.h"

namespace fuselab::simt {

// Multiprocessors of the device that the executor stands for: few, so that persistent blocks go from tile to tile.
inline constexpr std::int64_t kMultiprocessors = 2;

// Returns the generated text as the executor compiles it: the kernel that is called, and with it those that are launched behind
// it, in order.
std::vector<KernelText> texts_of(const SourceModule& source);

// Returns a map as the executor's copy engine reads it. The launch fills in where its buffer lies.
// Fails with kUnsupported where there is no such box.
Result<Argument> map_argument(const TensorMapArgument& map, std::string name);

// How the accesses of a kernel, and of those behind it, met in the banks of shared memory.
struct SharedBanks {
  BankCount rows;     // of fl_load_matrices and fl_store_matrices
  BankCount plain;    // of other loads and stores
  std::string worst;  // the place of most conflicts among the plain ones
  void add(const Outcome& outcome);
};

// Launches a kernel as its ABI says, and those behind it; `kernel` is the place of the first of its texts_of() in the object.
// Returns the bytes of the outputs. Counting `banks` takes time.
// Fails with kNumerics and what the executor found: a race, an access out of bounds, a barrier that not all threads reach.
Result<std::vector<std::vector<std::byte>>> run_emulated(const KernelAbi& abi, const KernelObject& object, std::size_t kernel,
                                                         std::span<const std::vector<std::byte>> inputs, std::uint64_t order_seed,
                                                         SharedBanks* banks = nullptr);

}  // namespace fuselab::simt
