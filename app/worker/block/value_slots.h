// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "core/base/units.h"

namespace fuselab::worker {

// The time in which a tensor of a run is needed: from before step `first` to after step `last`. A tensor read from a file has
// `first` -1; one written to a file has the number of steps as `last`.
struct Lifetime {
  int first = 0;
  int last = 0;
  Bytes size;
};

// Returns the sum, or the largest value where no integer holds it, since no machine has that much memory either.
Bytes sum_of(const std::vector<Bytes>& sizes);

// The memory slot of each tensor. Two share a slot only if one is no longer needed before the other's first step begins: a step's
// results never lie where its operands do.
struct ValueSlots {
  std::vector<std::size_t> slot_of;  // per tensor
  std::vector<Bytes> sizes;          // per slot, the largest tensor's

  Bytes total() const { return sum_of(sizes); }
};

// Assigns slots in the order of the tensors' first steps. Each tensor takes the smallest free slot that holds it, else the largest
// free one, which grows; a new one only where none is free.
ValueSlots share_slots(const std::vector<Lifetime>& tensors);

}  // namespace fuselab::worker
