// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "core/base/result.h"
#include "core/graph/graph.h"
#include "core/reference/reference.h"
#include "core/reference/tolerance.h"
#include "core/tensor/tensor.h"

namespace fuselab {

// What a kernel is tried with besides ordinary numbers: overflow and cancellation; ±Inf, NaN and −0; denormals. One after the
// other: a NaN in a sum would hide all else.
inline constexpr InputPattern kSpecialPatterns[] = {InputPattern::kLarge, InputPattern::kSpecial, InputPattern::kDenormal};

// Whether an input looks different under another pattern; weights, gains, divisors, indices and integers do not. Of bools the
// masks of an attention do.
bool depends_on_pattern(const Graph& graph, ValueId input);

// make_inputs(graph, spec)[position] alone.
RealTensor make_input(const Graph& graph, std::size_t position, const InputSpec& spec);

// The same in the bytes of its type, without the numbers in between: a kernel's operand.
std::vector<std::byte> make_packed_input(const Graph& graph, std::size_t position, const InputSpec& spec);

// The elements of make_input(graph, position, spec) at these places alone, as one row.
RealTensor make_elements(const Graph& graph, std::size_t position, const InputSpec& spec, std::span<const std::int64_t> places);

// What a sample of a graph's outputs may cost: FLOPs of the reference's naive loops, and elements that it reads of the inputs that
// depend on the pattern. Among samples that cost few enough FLOPs one that reads too much is better than none.
struct SampleBudget {
  SampleBudget(double most_flops, std::int64_t most_elements = std::numeric_limits<std::int64_t>::max())
      : flops(most_flops), elements(most_elements) {}
  double flops;
  std::int64_t elements;
};

// As expected_outputs(), on as large a sample as the budget reaches for. kUnsupported when even the smallest costs more FLOPs: says
// how much.
Result<std::vector<ExpectedOutput>> expected_sample(const Graph& graph, std::span<const RealTensor> inputs, std::uint64_t seed,
                                                    SampleBudget budget);

// The places in each input that this sample depends on, ascending: where inputs that are too large to be made anew for each pattern
// can be changed. None of inputs that look the same under every pattern. Evenly spread where the budget has fewer elements.
Result<std::vector<std::vector<std::int64_t>>> places_behind_sample(const Graph& graph, std::uint64_t seed, SampleBudget budget);

// Whether outputs that did not pass did so only because the exact values leave the type's range on the way to all of them: with
// special inputs that is no finding.
bool only_unjudged(const Verification& verification);

}  // namespace fuselab
