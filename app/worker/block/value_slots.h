// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "core/base/units.h"

namespace fuselab::worker {

// When a tensor of a run is needed: from before step `first` to after step `last`. What is read from a file has `first` -1, what is
// written to one the number of steps as `last`.
struct Lifetime {
  int first = 0;
  int last = 0;
  Bytes size;
};

// What no integer holds, no machine holds either: then it is the largest.
Bytes sum_of(const std::vector<Bytes>& sizes);

// Which memory each tensor lies in. Two share a slot only if one is needed no more before the other's first step begins: a step's
// results never lie where its operands do.
struct ValueSlots {
  std::vector<std::size_t> slot_of;  // per tensor
  std::vector<Bytes> sizes;          // per slot, the largest tensor's

  Bytes total() const { return sum_of(sizes); }
};

// In the order of their first steps, each tensor takes the smallest free slot that holds it, else the largest free one, which
// grows; a new one only where none is free.
ValueSlots share_slots(const std::vector<Lifetime>& tensors);

}  // namespace fuselab::worker
