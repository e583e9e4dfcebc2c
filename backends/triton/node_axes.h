// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "backends/triton/block_text.h"
#include "core/extents/strides.h"
#include "core/graph/graph.h"
#include "core/graph/node_axes.h"

// Places in a block by what attributes say of a node's axes.
namespace fuselab::triton {

// Windows that slide over the axes behind the first two.
struct Windows : SlidingWindows {
  std::int64_t taps() const { return product_of(kernel); }
  // Returns the place under a tap of the window at `at`; what can lie outside is added to `inside`.
  Place under(const Place& at, const Place& tap, Guard& inside) const;
};
Windows windows_along(const Graph& graph, const Node& node);

// Where the elements of values lie in a block, from those that the seeds say on: through views, Transposes and what works element
// by element.
std::map<ValueId, Place> places_behind(const Graph& graph, std::map<ValueId, Place> seeds);

}  // namespace fuselab::triton
