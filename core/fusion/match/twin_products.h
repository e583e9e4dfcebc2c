// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>

#include "core/fusion/match/group.h"

namespace fuselab {

// Returns why two groups of a contraction each are not one kernel, which makes both products of a left operand that they share and
// joins the results element by element, or nothing. A gated feed-forward layer has such a pair: gate and up. Every asked backend
// must take it.
std::optional<Refusal> refuse_twins(const GraphIndex& index, const FusionOptions& options, const Group& a,
                                    std::span<const NodeId> a_nodes, const Group& b, std::span<const NodeId> b_nodes);

}  // namespace fuselab
