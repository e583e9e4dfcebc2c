// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>

#include "core/fusion/match/group.h"

namespace fuselab {

// The decision whether a contraction computes one of its operands while it loads it, instead of reading what another kernel wrote.
struct Prologue {
  std::optional<Refusal> refused;
  std::string decision;  // for people, with its numbers; empty when refused
};

// Considers the element-wise group `a` as prologue of the contraction of `b`, which reads the result of `a`. Every asked backend
// must accept it, and the operations that are repeated must cost less than the traffic that is saved.
Prologue consider_prologue(const GraphIndex& index, const FusionOptions& options, const Group& a, std::span<const NodeId> a_nodes,
                           const Group& b);

}  // namespace fuselab
