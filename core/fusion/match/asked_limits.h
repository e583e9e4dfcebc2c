// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>

#include "core/fusion/match/fusion_types.h"
#include "core/fusion/match/graph_index.h"

namespace fuselab {

// The reason why something stayed apart.
struct Refusal {
  std::string reason;
  std::string backend;  // the backend whose limit it is; empty: a rule of fusion itself
};

// Each returns a refusal when a group that would be one kernel breaks a limit of the asked backends, of several the strictest, else
// nothing. When no backend was asked, written_alone() refuses operators that no backend of Fuselab writes together with others.
std::optional<Refusal> too_many_operators(const FusionOptions& options, int operators);
std::optional<Refusal> too_many_tensors(const FusionOptions& options, const GraphIndex& index, std::span<const NodeId> nodes);
// Judges an integer product and what makes its operands of 8-bit numbers. One backend that takes it is enough: cut apart, it would
// be many times slower there, and the others say what they cannot. Also refuses when no backend was asked.
std::optional<Refusal> multiplies_no_bytes(const FusionOptions& options);
std::optional<Refusal> written_alone(const FusionOptions& options, Op op);

}  // namespace fuselab
