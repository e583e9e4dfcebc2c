// SPDX-License-Identifier: Apache-2.0
#include "core/fusion/partition/refused_groups.h"

#include <algorithm>

namespace fuselab {

void RefusedGroups::add(std::vector<NodeId> nodes, Refusal why) {
  const NodeId last = nodes.back();
  by_last_[last].push_back({std::move(nodes), std::move(why)});
}

std::optional<Refusal> RefusedGroups::within(std::span<const NodeId> nodes) const {
  if (empty()) return std::nullopt;
  for (const NodeId last : nodes) {
    const auto found = by_last_.find(last);
    if (found == by_last_.end()) continue;
    for (const Refused& each : found->second) {
      if (std::includes(nodes.begin(), nodes.end(), each.nodes.begin(), each.nodes.end())) return each.why;
    }
  }
  return std::nullopt;
}

std::optional<Refusal> PieceOffers::refusal_of(const FusedOperation& piece) {
  if (asked_.empty() || piece.nodes.size() < 2 || !piece.graph.is_concrete()) return std::nullopt;
  const auto [known, is_new] = known_.try_emplace(piece.id);
  if (!is_new) return known->second;
  std::optional<Refusal> first;
  for (const BackendLimits& each : asked_) {
    const std::optional<Support> answer = each.writes ? each.writes(piece.graph) : std::nullopt;
    if (!answer || answer->yes) return std::nullopt;
    if (!first)
      first = Refusal{"no asked device writes them as one kernel; " + each.backend + ": " + answer->why_not, each.backend};
  }
  return known->second = std::move(first);
}

}  // namespace fuselab
