// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/graph/graph.h"
#include "core/tensor/tensor.h"

namespace fuselab {

// Evaluates a graph slowly and exactly, to judge every kernel: float64 throughout, naive loops, no rounding in between. Graphs with
// Opaque nodes are unsupported.
Result<std::vector<RealTensor>> evaluate_reference(const Graph& graph, std::span<const RealTensor> inputs);

// FLOPs above which a result is checked on a sample of its outputs, not on all of them.
inline constexpr double kSampledAboveFlops = 2e9;

// Expected values of a graph's outputs: all, or a seeded sample.
struct ExpectedOutput {
  TensorType type;
  std::vector<std::int64_t> positions;  // flat, ascending; empty: all of them
  std::vector<double> values;           // one per position
  std::vector<double> magnitude;        // bound of each value's error in round-offs of its arithmetic, ≥ |value| (tolerance.cpp)
};

// Computes the expected values by walking the graph backwards from the chosen outputs. Up to kSampledAboveFlops all outputs are
// chosen. Above it, these are: every edge of a tile of eight (first, last, multiples of 8 and their neighbours, rows × columns)
// where evaluating them costs no more than twice kSampledAboveFlops, as for products up to about 10 GFLOP; beyond that as many
// edges as the limit allows, evenly spread, at least 64 per axis; and always 4,096 different seeded positions. Where a row operator
// needs whole rows of a contraction, the positions come from fewer rows.
Result<std::vector<ExpectedOutput>> expected_outputs(const Graph& graph, std::span<const RealTensor> inputs, std::uint64_t seed);

}  // namespace fuselab
