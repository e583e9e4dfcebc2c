// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/fusion/graph_index.h"

namespace fuselab {

enum class GroupId : std::uint32_t {};

// A partition of the compute nodes of a DAG into groups whose graph stays acyclic. It keeps the groups in a topological
// order and mends only the stretch a contraction touches (as Pearce and Kelly do for edges), so that building the
// pieces of a large model stays close to linear. Constants and what no output needs belong to no group.
class Partition {
 public:
  // Every compute node of the index alone.
  explicit Partition(const GraphIndex& index);

  bool contains(NodeId id) const { return group_of_[index_of(id)].has_value(); }
  GroupId group_of(NodeId id) const { return *group_of_[index_of(id)]; }
  // Ascending.
  std::span<const NodeId> members(GroupId id) const { return members_[static_cast<std::size_t>(id)]; }

  // A group outside `groups` on a path that leaves them and comes back: what keeps them from being one. None: they may be.
  std::optional<GroupId> obstacle(std::span<const GroupId> groups) const;
  // Makes one group of several; requires no obstacle. Returns the survivor: the first of them.
  GroupId contract(std::span<const GroupId> groups);

  // All groups in a topological order.
  std::vector<GroupId> order() const;

 private:
  struct Stretch {
    std::size_t first = 0, last = 0;  // positions of the groups that are asked about
    std::vector<GroupId> downstream;  // outside groups in between that depend on them
    std::optional<GroupId> obstacle;
  };
  Stretch survey(std::span<const GroupId> groups) const;
  void put(GroupId group, std::size_t place);
  // Puts the first of the groups in the place of all, behind what does not depend on them and before what does.
  void mend_order(const Stretch& stretch, std::span<const GroupId> groups);
  GroupId merge_members(std::span<const GroupId> groups);
  std::size_t rank(GroupId id) const { return rank_[static_cast<std::size_t>(id)]; }

  const GraphIndex* index_;
  std::vector<std::optional<GroupId>> group_of_;  // by node
  std::vector<std::vector<NodeId>> members_;      // by group
  std::vector<std::size_t> rank_;                 // by group: position in order_
  std::vector<std::optional<GroupId>> order_;     // with holes where groups were contracted
  mutable std::vector<std::uint32_t> seen_;       // by group: the last survey that visited it
  mutable std::uint32_t survey_ = 0;
};

}  // namespace fuselab
