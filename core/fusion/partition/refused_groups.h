// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <span>
#include <vector>

#include "core/fusion/match/asked_limits.h"
#include "core/fusion/match/fusion_types.h"

namespace fuselab {

// Groups of nodes that no asked backend writes as one kernel. A group that holds such a group is none either.
class RefusedGroups {
 public:
  // Takes a set of nodes, ascending, of the graph that is fused.
  void add(std::vector<NodeId> nodes, Refusal why);
  bool empty() const { return by_last_.empty(); }
  // Returns why these nodes, ascending, cannot be one group; nothing: no refused group is among them.
  std::optional<Refusal> within(std::span<const NodeId> nodes) const;

 private:
  struct Refused {
    std::vector<NodeId> nodes;
    Refusal why;
  };
  std::map<NodeId, std::vector<Refused>> by_last_;  // by the last of its nodes
};

// Asks the backends about each piece of several operators. Remembers their answers, since a graph is cut several times.
class PieceOffers {
 public:
  explicit PieceOffers(const std::vector<BackendLimits>& asked) : asked_(asked) {}
  // Returns the refusal of a piece that every asked backend refuses, with the first one's reason; nothing where one takes it, where
  // one cannot be asked, where none is asked, and where extents are open.
  std::optional<Refusal> refusal_of(const FusedOperation& piece);

 private:
  const std::vector<BackendLimits>& asked_;
  std::map<std::string, std::optional<Refusal>> known_;  // by the piece's id
};

}  // namespace fuselab
