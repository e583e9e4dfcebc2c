// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>

#include "core/reference/operators/reference_node.h"
#include "core/reference/reference.h"
#include "core/reference/special_inputs.h"

namespace fuselab::reference {

// Returns the elements of every value that a check of the graph's outputs needs: all up to kSampledAboveFlops, else those behind a
// seeded sample with as many edges of tiles as are affordable. Where row operators make a sampled element need a whole row of a
// contraction, the sample is drawn from fewer rows, so that its cost stays bounded. Indexed by ValueId.
Result<std::vector<Needed>> needed_for_check(const Graph& graph, std::uint64_t seed);

// The number of elements of an output that a sample takes.
struct SampleSize {
  std::size_t edges = 64;      // at most, per axis
  std::int64_t seeded = 4096;  // all different
};
inline constexpr std::size_t kAllEdges = std::numeric_limits<std::size_t>::max();

// Does the same within a budget: all elements of a small graph, else the largest sample that is affordable. The budget limits
// elements also of the inputs that depend on the pattern.
// Fails with kUnsupported when even the smallest sample costs more FLOPs.
Result<std::vector<Needed>> needed_within(const Graph& graph, std::uint64_t seed, SampleBudget budget);

// Returns the elements of every value behind the given elements of the outputs, found by walking the graph backwards. Demand on
// graph inputs, which are available already, is only collected for those that depend on the pattern, and only when `of_inputs` asks
// for it.
std::vector<Needed> demand_behind(const Graph& graph, std::span<const Needed> outputs, bool of_inputs = false);

// Evaluates only the needed elements. `needed` is indexed by ValueId.
Result<std::vector<ExpectedOutput>> expected_for(const Graph& graph, std::span<const RealTensor> inputs,
                                                 const std::vector<Needed>& needed);

// Draws a sample of one output: edges of tiles and seeded positions, from at most `row_limit` rows of its last axis (0: any).
Needed sample_of(const TensorType& type, std::int64_t row_limit, std::uint64_t seed, SampleSize size = {});

}  // namespace fuselab::reference
