// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/graph/graph.h"

namespace fuselab::codegen {

// One axis of a copy: how many elements, and how far apart they lie on either side.
struct CopyAxis {
  std::int64_t extent = 1;
  std::int64_t from = 0;
  std::int64_t to = 0;
};

// Elements that go from an input to an output unchanged. Axes are merged where both sides allow, the innermost last.
struct BlockCopy {
  int input = 0;
  int output = 0;
  std::int64_t from_offset = 0;
  std::int64_t to_offset = 0;
  std::vector<CopyAxis> axes;
};

// Rows picked by index: to[(o, i), …] = from[(o, index[i]), …].
struct GatherCopy {
  int data = 0;
  int indices = 1;
  std::int64_t outer = 1;
  std::int64_t picked = 1;    // indices
  std::int64_t rows = 1;      // of the gathered axis
  std::int64_t elements = 1;  // of one row
};

struct Movement {
  std::vector<BlockCopy> copies;
  std::vector<GatherCopy> gathers;  // none or one
};

// A graph of one movement operator with views before and behind it, or of views alone. kUnsupported says what does not fit.
Result<Movement> make_movement(const Graph& graph);

}  // namespace fuselab::codegen
