// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace fuselab::codegen {

// The launch of a kernel of many threads.
struct Launch {
  std::int64_t threads = 0;        // per block; 0: the kernel is given tasks
  std::int64_t min_blocks = 0;     // that a multiprocessor is to hold at a time, which bounds registers; 0: not asked for
  std::int64_t lanes = 32;         // of a warp, which threads exchange within
  std::int64_t cluster = 1;        // blocks that run together and reach each other's shared memory
  std::string blocks = "1";        // a DimFormula
  std::int64_t shared_bytes = 0;   // of its Shared arrays, which are either all static or all dynamic
  bool narrow = false;             // every index fits an int
  std::int64_t scratch_bytes = 0;  // of the parameter after those of the graph, if there is one
};

}  // namespace fuselab::codegen
