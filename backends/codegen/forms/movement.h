// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/graph/graph.h"

namespace fuselab::codegen {

// One axis of a copy: the number of elements, and their distance on either side.
struct CopyAxis {
  std::int64_t extent = 1;
  std::int64_t from = 0;
  std::int64_t to = 0;
};

inline constexpr int kNothing = -1;

// A copy of elements from an input to an output, unchanged. Axes are merged where both sides allow, the innermost last.
struct BlockCopy {
  int input = 0;  // kNothing: zeros are written instead
  int output = 0;
  std::int64_t from_offset = 0;
  std::int64_t to_offset = 0;
  std::vector<CopyAxis> axes;
};

// A copy of rows picked by index: to[(o, i), …] = from[(o, index[i]), …].
struct GatherCopy {
  int data = 0;
  int indices = 1;
  std::int64_t outer = 1;
  std::int64_t picked = 1;    // indices
  std::int64_t rows = 1;      // rows of the gathered axis
  std::int64_t elements = 1;  // elements of one row
};

struct Movement {
  std::vector<BlockCopy> copies;
  std::vector<GatherCopy> gathers;  // none or one
};

// Recognises a graph of one movement operator with views before and behind it, or of views alone.
// Fails with kUnsupported and what does not fit.
Result<Movement> make_movement(const Graph& graph);

}  // namespace fuselab::codegen
