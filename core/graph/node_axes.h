// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/graph/graph.h"

// What the attributes of a node say of its axes: ONNX's defaults are filled in, and axes are counted from the front. The node's
// types were inferred, so that its attributes fit its ranks, and all extents are known. core/reference reads attributes by itself:
// it must share no mistake with what it judges.
namespace fuselab {

// Counts an axis from the end where it is negative.
std::size_t axis_from_front(std::int64_t axis, std::size_t rank);

// Returns the axes of a Transpose's operand, by axis of its result.
std::vector<std::int64_t> permutation_of(const Graph& graph, const Node& node);

// An axis that a Slice cuts: element i of the result is element start + i·step of the operand. step is 1 where the result has one
// element along the axis: what was asked for may be anything there.
struct SlicedAxis {
  std::size_t axis;
  std::int64_t start, step;
};
std::vector<SlicedAxis> sliced_axes(const Graph& graph, const Node& node);

// Returns the axes along which a row operator works together, in ascending order; none for other operators. The row operators are
// the reductions, GlobalAveragePool, Softmax, LogSoftmax, LayerNormalization and RMSNormalization.
std::vector<std::size_t> reduced_axes(const Graph& graph, const Node& node);

// The windows of a convolution or a pool, along the axes behind the first two. before and after are the padding at both ends.
struct SlidingWindows {
  std::vector<std::int64_t> input, kernel, strides, dilations, before, after;
};
SlidingWindows sliding_windows(const Graph& graph, const Node& node);

}  // namespace fuselab
