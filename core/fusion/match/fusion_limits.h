// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/base/support.h"
#include "core/ops/op.h"

namespace fuselab {

class Graph;

// The limits of what a backend can write as one kernel for one device, as the backend states them. Numbers of 0 and empty lists do
// not limit: a library that cuts a piece into calls of its own, or a contraction that a backend cannot write even alone, is no
// reason to keep other operators from fusing.
struct FusionLimits {
  std::int64_t shared_memory_bytes = 48 * 1024;  // default: what the GPUs of all vendors have (C14); 0: not known, or no limit
  int most_operators = 0;                        // in one kernel, views and constants not counted; 0: any number
  int most_tensors = 0;                          // arguments that one kernel reads or writes; 0: any number
  bool takes_prologue = false;                   // can compute a contraction's operand by element-wise operators as it loads it
  bool takes_twin_products = false;              // can make two products of one left operand, and what joins them
  bool takes_normed_rows = false;     // can scale rows of a left operand as RMSNormalization does while it multiplies them
  bool multiplies_8_bit = false;      // takes integer products with what makes their operands of 8-bit numbers
  std::vector<Op> writes_alone = {};  // element-wise operators beside which others would run slowly or not at all
};

// A backend's name and its limits.
struct BackendLimits {
  std::string backend;  // "opencl"
  FusionLimits limits;
  // Offers the backend a piece: says whether it writes this graph, with concrete extents, as one kernel, and else why not. Nothing:
  // the backend cannot be asked now. Empty: it is not asked at all. Called from the thread that fuses.
  std::function<std::optional<Support>(const Graph&)> writes = {};
};

}  // namespace fuselab
