// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/graph/op.h"

namespace fuselab {

// What a backend can write as one kernel, as it says itself of one device. What it leaves out it does not limit: neither a library
// that cuts a piece into calls of its own, nor a contraction that a backend writes not even alone, is a reason to keep others from
// fusing.
struct FusionLimits {
  std::int64_t shared_memory_bytes = 48 * 1024;  // what the GPUs of all vendors have (C14); 0: not known, or no limit
  int most_operators = 0;                        // of one kernel, views and constants not counted; 0: any number
  int most_tensors = 0;                          // that one kernel reads or writes: its arguments; 0: any number
  bool takes_prologue = false;                   // element-wise operators that make the operand which a contraction brings together
  std::vector<Op> writes_alone = {};             // element-wise operators beside which others would run slowly or not at all
};

// Whose limits they are.
struct BackendLimits {
  std::string backend;  // "opencl"
  FusionLimits limits;
};

}  // namespace fuselab
