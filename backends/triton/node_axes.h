// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "backends/triton/block_text.h"
#include "core/graph/graph.h"

// What attributes say of a node's axes.
namespace fuselab::triton {

std::size_t axis_from_front(std::int64_t axis, std::size_t rank);
std::int64_t product_of(const std::vector<std::int64_t>& extents);
// Returns the axes of a Transpose's operand, by axis of its result.
std::vector<std::int64_t> order_of(const Graph& graph, const Node& node);

// The axes along which an operator of rows works together, as flags; none where it is no such operator.
std::vector<bool> reduced_axes(const Graph& graph, const Node& node);

// Windows that slide over the axes behind the first two.
struct Windows {
  std::vector<std::int64_t> kernel, strides, dilations, pads, input;

  std::int64_t taps() const { return product_of(kernel); }
  // Returns the place under a tap of the window at `at`; what can lie outside is added to `inside`.
  Place under(const Place& at, const Place& tap, Guard& inside) const;
};
Windows windows_along(const Graph& graph, const Node& node);

// Where the elements of values lie in a block, from those that the seeds say on: through views, Transposes and what works element
// by element.
std::map<ValueId, Place> places_behind(const Graph& graph, std::map<ValueId, Place> seeds);

}  // namespace fuselab::triton
