// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "core/base/result.h"
#include "core/graph/graph.h"
#include "core/graph/reference.h"
#include "core/graph/tensor.h"
#include "core/graph/tolerance.h"

namespace fuselab {

// What a kernel is tried with besides ordinary numbers: overflow and cancellation; ±Inf, NaN and −0; denormals. One after the
// other: a NaN in a sum would hide all else.
inline constexpr InputPattern kSpecialPatterns[] = {InputPattern::kLarge, InputPattern::kSpecial, InputPattern::kDenormal};

// Whether an input looks different under another pattern; weights, gains, divisors, indices and integers do not.
bool depends_on_pattern(const Graph& graph, ValueId input);

// make_inputs(graph, spec)[position] alone.
RealTensor make_input(const Graph& graph, std::size_t position, const InputSpec& spec);

// As expected_outputs(), on as large a sample as `flops` reach for. kUnsupported when even the smallest costs more: says how much.
Result<std::vector<ExpectedOutput>> expected_sample(const Graph& graph, std::span<const RealTensor> inputs, std::uint64_t seed,
                                                    double flops);

// Whether outputs that did not pass did so only because the exact values leave the type's range on the way to all of them: with
// special inputs that is no finding.
bool only_unjudged(const Verification& verification);

}  // namespace fuselab
