// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/base/result.h"
#include "core/base/units.h"

namespace fuselab {

// The steps of a plan in which a buffer holds something: from the one that writes it to the last that reads it, both included.
struct BufferLife {
  int first = 0;
  int last = 0;
  Bytes size;
};

// Where each buffer lies in one block of memory. Buffers that live in a common step never share a byte, so a step's results never
// lie where its operands do; others reuse each other's memory.
struct MemoryPlan {
  std::vector<std::int64_t> offsets;  // per buffer, multiples of the alignment
  Bytes total;                        // of the block, a multiple of the alignment
  Bytes unshared;                     // what it would be if no two buffers shared memory
};

// Places the largest buffer first, each at the lowest place that is free in all its steps; a buffer of no bytes takes one unit of
// the alignment, so that it has an address of its own. The same buffers always give the same plan. Quadratic in their number.
// Fails with kInvalidArgument for a life that ends before it begins, a negative size, or an alignment that is no power of two, and
// with kUnsupported where the sizes do not fit an integer together.
Result<MemoryPlan> plan_memory(std::span<const BufferLife> buffers, std::int64_t alignment = 64);

}  // namespace fuselab
