// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/fusion/match/graph_index.h"

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

  // What keeps groups from being one: a path that leaves them and comes back.
  struct Obstacle {
    std::optional<GroupId> through;  // a group outside on it; none: whether there is one was too much to find out
  };
  // None: they may be one. An answer may walk the whole graph, and in a stranger's each of a quarter of a million may. So once
  // kMostLookedAt is spent on all of them together, each gives up after kMostLookedAtThen: what is near each other still joins.
  std::optional<Obstacle> obstacle(std::span<const GroupId> groups) const;
  // Whether an answer was given up.
  bool gave_up() const { return gave_up_; }
  // Makes one group of several; requires no obstacle. Returns the survivor: the first of them.
  GroupId contract(std::span<const GroupId> groups);

  // All groups in a topological order.
  std::vector<GroupId> order() const;

 private:
  struct Stretch {
    std::size_t first = 0, last = 0;  // positions of the groups that are asked about
    std::vector<GroupId> downstream;  // outside groups in between that depend on them
    std::optional<GroupId> obstacle;
    bool gave_up = false;
  };
  // So that the walks of no graph take longer than seconds. An ordinary one never gets here: a model of 10,780 operators was cut in
  // 0.02 s (resources/docs/fusion.md), too little time for a fifth of it.
  static constexpr std::int64_t kMostLookedAt = 100'000'000;
  static constexpr std::int64_t kMostLookedAtThen = 200;  // several times what a group of ten operators and its readers take

  // Gives up when it has looked at more than `most`.
  Stretch survey(std::span<const GroupId> groups, std::int64_t most) const;
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
  mutable std::int64_t looked_at_ = 0;  // nodes, their readers and places, over all surveys
  mutable bool gave_up_ = false;
};

}  // namespace fuselab
