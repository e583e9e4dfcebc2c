// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "backends/xla/stablehlo/hlo_builder.h"
#include "core/base/result.h"
#include "core/base/support.h"
#include "core/graph/graph.h"

namespace fuselab::xla {

// One operator to be written in StableHLO: its operands as they were written, and the types of its results.
struct HloCall {
  HloBuilder& out;
  const Graph& graph;
  const Node& node;
  std::string_view operation;  // StableHLO's or CHLO's, of an operator that is one of theirs
  std::vector<HloValue> in;

  bool has(std::size_t operand) const { return operand < in.size(); }
  DType dtype(std::size_t result = 0) const { return graph.type(node.outputs[result]).dtype; }
  Extents extents(std::size_t result = 0) const;
  // Counts an axis from the end where it is negative.
  std::int64_t axis(std::int64_t given, std::int64_t rank) const { return given < 0 ? given + rank : given; }
  std::int64_t axis_attribute(std::int64_t otherwise) const {
    return axis(node.attributes.integer("axis", otherwise), in.front().rank());
  }
  Extents list(std::string_view name, Extents otherwise = {}) const { return node.attributes.integers(name, std::move(otherwise)); }
};

using HloResults = Result<std::vector<HloValue>>;

// One family of operators each. Fail with kUnsupported where StableHLO, or this writer, has nothing for it.
HloResults lower_unary(const HloCall& call);
HloResults lower_folded(const HloCall& call);  // of any number of operands, by one of two: Add, Max
HloResults lower_comparison(const HloCall& call);
HloResults lower_elementwise(const HloCall& call);
HloResults lower_rows(const HloCall& call);
HloResults lower_contraction(const HloCall& call);
HloResults lower_windows(const HloCall& call);
HloResults lower_movement(const HloCall& call);

// Says of an attribute that the writer does not know.
Error unwritten(const HloCall& call, const std::string& what);

// The axes from `first` on, and how many elements lie along some.
Extents axes_from(std::int64_t first, std::int64_t rank);
double count_along(const HloValue& x, const Extents& axes);

// [B,S,H·D] as [B,H,S,D]. What has four axes is so already.
HloValue by_heads(HloBuilder& out, const HloValue& x, std::int64_t heads);

// Softmax along an axis, its logarithm where asked; the maximum is taken away first. Used by Attention, too.
HloValue softmax(HloBuilder& out, const HloValue& x, std::int64_t axis, bool logarithm);

}  // namespace fuselab::xla
