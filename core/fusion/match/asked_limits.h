// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>

#include "core/fusion/match/fusion_types.h"
#include "core/fusion/match/graph_index.h"

namespace fuselab {

// Why something stayed apart.
struct Refusal {
  std::string reason;
  std::string backend;  // whose limit it is; empty: a rule of fusion itself
};

// What the asked backends say of a group that would be one kernel: the strictest limit that it breaks, or none. Where nobody was
// asked only written_alone() refuses: what no backend of Fuselab writes beside others.
std::optional<Refusal> too_many_operators(const FusionOptions& options, int operators);
std::optional<Refusal> too_many_tensors(const FusionOptions& options, const GraphIndex& index, std::span<const NodeId> nodes);
std::optional<Refusal> written_alone(const FusionOptions& options, Op op);

}  // namespace fuselab
