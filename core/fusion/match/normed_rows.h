// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "core/fusion/match/prologue.h"

namespace fuselab {

// Considers the RMSNormalization `a` as prologue of the contraction of `b`, whose left operand it makes. A row's factor commutes
// with the product: the kernel sums the squares of what it multiplies, and scales its sums at the end. Every asked backend must
// take it.
Prologue consider_normed_rows(const GraphIndex& index, const FusionOptions& options, std::span<const NodeId> a_nodes,
                              const Group& b);

}  // namespace fuselab
