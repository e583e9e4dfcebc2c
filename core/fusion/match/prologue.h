// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>

#include "core/fusion/match/group.h"

namespace fuselab {

// Whether a contraction computes an operand of its own while it brings it together, instead of reading what another kernel wrote.
struct Prologue {
  std::optional<Refusal> refused;
  std::string decision;  // for people, with its numbers; empty when refused
};

// The element-wise group `a` before the contraction of `b`, which reads what it makes. Every asked backend must take it, and what
// is computed more than once must cost less than what need not be written and read again.
Prologue consider_prologue(const GraphIndex& index, const FusionOptions& options, const Group& a, std::span<const NodeId> a_nodes,
                           const Group& b);

}  // namespace fuselab
