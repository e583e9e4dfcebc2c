// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "core/reference/operators/reference_node.h"

namespace fuselab::reference {

struct Source {
  std::size_t input = 0;
  std::int64_t at = 0;

  // Returns the source of an element that is filled in.
  static Source nothing() { return {0, -1}; }
  bool exists() const { return at >= 0; }
};

// Maps each element of a movement operator's output to its source. Gather needs its indices' values; others ignore them.
using SourceMap = std::function<Source(std::int64_t)>;
SourceMap pad_map(const Node& node, const std::vector<std::int64_t>& in, const std::vector<std::int64_t>& out);
SourceMap trilu_map(const Node& node, const std::vector<std::int64_t>& in);
SourceMap source_map(const Graph& graph, const Node& node, std::size_t output_index);

// Extents of a rotary embedding and the layout of its operands.
struct RotaryShape {
  std::int64_t tokens = 1, heads = 1, depth = 1, rotated = 1;
  bool flat = false;
  bool interleaved = false;

  struct Place {
    std::int64_t row;      // batch · tokens + t: the row of cos, sin or position ids
    std::int64_t partner;  // flat index of the element rotated with this one
    std::int64_t angle;    // column of cos and sin; -1: copied unrotated
    bool first;            // this element is the first of its pair
  };
  Place place_of(std::int64_t at) const;
};
RotaryShape rotary_shape(const Node& node, std::span<const std::int64_t> x, std::span<const std::int64_t> cos);

}  // namespace fuselab::reference
