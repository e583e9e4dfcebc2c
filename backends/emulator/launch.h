// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "backends/emulator/bank_count.h"
#include "backends/emulator/kernel_object.h"
#include "backends/emulator/watched_memory.h"

namespace fuselab::simt {

// One buffer of a launch. What is kWrite must be written before it is read, also scratch.
struct Argument {
  std::string name;
  BufferUse use = BufferUse::kRead;
  int element = 4;     // bytes
  int alignment = 64;  // exactly this much, never more: a kernel that needs more is found out
  std::vector<std::byte> bytes;
  int maps = -1;  // these bytes are a TensorMap, of the argument with this number
};

struct LaunchShape {
  std::int64_t grid = 1;
  int block = 1;
  std::int64_t dynamic_shared = 0;  // bytes
  int cluster = 1;                  // blocks that run together
  int lanes = 32;                   // of a warp
};

struct LaunchLimits {
  std::uint64_t seed = 1;            // of the order in which threads and blocks run
  std::int64_t steps = 200'000'000;  // pieces of straight code, all threads together
  bool count_plain_banks = false;
};

// How a launch went. The finding is empty when nothing was found; otherwise it ends with the seed that repeats it.
struct Outcome {
  std::string finding;
  std::int64_t switches = 0;
  std::int64_t steps = 0;
  bool is_limit = false;    // the finding is what the executor cannot do, not what the kernel does wrong
  BankCount rows_banks;     // of fl_load_matrices and fl_store_matrices
  BankCount plain_banks;    // of other loads and stores, where the limits ask for it
  std::string worst_banks;  // the place of most conflicts among these: " in line 12 (`…`)"
  bool ok() const { return finding.empty(); }
};

// Runs the launch in a process of its own, so that no kernel takes the tests with it; brings back what it wrote.
Outcome run_launch(const KernelObject& object, std::size_t kernel, LaunchShape shape, std::span<Argument> arguments,
                   const LaunchLimits& limits = {});

}  // namespace fuselab::simt
