// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "core/base/result.h"
#include "core/graph/graph.h"
#include "core/kernel/drawback.h"
#include "core/reference/reference.h"
#include "core/reference/tolerance.h"
#include "core/tensor/tensor.h"

namespace fuselab {

// The input patterns that a kernel is tried with besides ordinary numbers: overflow and cancellation; ±Inf, NaN and −0; denormals.
// They are tried one after the other, because a NaN in a sum would hide all else.
inline constexpr InputPattern kSpecialPatterns[] = {InputPattern::kLarge, InputPattern::kSpecial, InputPattern::kDenormal};

// Returns true when results for such inputs are held against the reference. What is large or not finite spreads over neighbouring
// results in Winograd's sums, and is wrong in what loses precision, as their kernels state.
inline bool is_judged(InputPattern pattern, Drawbacks drawbacks) {
  const bool is_beyond = pattern == InputPattern::kLarge || pattern == InputPattern::kSpecial;
  return !is_beyond || !has_wider_tolerance(drawbacks);
}

// Returns true when an input looks different under another pattern. Weights, gains, divisors, indices and integers do not; of bools
// only the masks of an attention do.
bool depends_on_pattern(const Graph& graph, ValueId input);

// Returns make_inputs(graph, spec)[position] without making the others.
RealTensor make_input(const Graph& graph, std::size_t position, const InputSpec& spec);

// Makes the same input directly in the bytes of its type, as a kernel's operand, without the float64 numbers in between.
std::vector<std::byte> make_packed_input(const Graph& graph, std::size_t position, const InputSpec& spec);

// Returns the elements of make_input(graph, position, spec) at these places alone, as one row.
RealTensor make_elements(const Graph& graph, std::size_t position, const InputSpec& spec, std::span<const std::int64_t> places);

// The allowed cost of a sample of a graph's outputs: FLOPs of the reference's naive loops, and elements that it reads of the inputs
// that depend on the pattern. Among samples within the FLOPs one that reads too much is better than none.
struct SampleBudget {
  SampleBudget(double most_flops, std::int64_t most_elements = std::numeric_limits<std::int64_t>::max())
      : flops(most_flops), elements(most_elements) {}
  double flops;
  std::int64_t elements;
};

// Does what expected_outputs() does, on as large a sample as the budget allows.
// Fails with kUnsupported, stating how much, when even the smallest sample costs more FLOPs.
Result<std::vector<ExpectedOutput>> expected_sample(const Graph& graph, std::span<const RealTensor> inputs, std::uint64_t seed,
                                                    SampleBudget budget);

// Returns the places in each input that this sample depends on, ascending. They are where inputs that are too large to be made anew
// for each pattern can be changed. Inputs that look the same under every pattern have none. The places are evenly spread where the
// budget has fewer elements.
Result<std::vector<std::vector<std::int64_t>>> places_behind_sample(const Graph& graph, std::uint64_t seed, SampleBudget budget);

// Returns true when outputs did not pass only because the exact values leave the type's range on the way to all of them. With
// special inputs that is not an error of the kernel.
bool only_unjudged(const Verification& verification);

}  // namespace fuselab
