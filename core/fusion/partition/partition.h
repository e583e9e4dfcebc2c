// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/fusion/match/graph_index.h"

namespace fuselab {

enum class GroupId : std::uint32_t {};

// A partition of the compute nodes of a DAG into groups whose graph stays acyclic. It keeps the groups in a topological order and
// repairs only the stretch that a contraction touches (as Pearce and Kelly do for edges), so that building the pieces of a large
// model stays close to linear. Constants and nodes that no output needs belong to no group.
class Partition {
 public:
  // Starts with every compute node of the index in a group of its own.
  explicit Partition(const GraphIndex& index);

  bool contains(NodeId id) const { return group_of_[index_of(id)].has_value(); }
  GroupId group_of(NodeId id) const { return *group_of_[index_of(id)]; }
  // Returns the nodes of a group, ascending.
  std::span<const NodeId> members(GroupId id) const { return members_[static_cast<std::size_t>(id)]; }

  // An obstacle to making one group of several: a path that leaves them and comes back.
  struct Obstacle {
    std::optional<GroupId> through;  // a group outside on the path; none: the search was given up
  };
  // Returns nothing when the groups may be one. One search may walk the whole graph, and an untrusted graph may ask for a quarter
  // of a million of them. So once all searches together have spent kMostLookedAt, each gives up after kMostLookedAtThen: groups
  // near each other are still joined.
  std::optional<Obstacle> obstacle(std::span<const GroupId> groups) const;
  // Returns true when a search was given up.
  bool gave_up() const { return gave_up_; }
  // Makes one group of several and returns the survivor, the first of them. Requires that there is no obstacle.
  GroupId contract(std::span<const GroupId> groups);

  // Returns all groups in a topological order.
  std::vector<GroupId> order() const;

 private:
  struct Stretch {
    std::size_t first = 0, last = 0;  // positions of the given groups
    std::vector<GroupId> downstream;  // groups outside, in between, that depend on them
    std::optional<GroupId> obstacle;
    bool gave_up = false;
  };
  // These limits keep the searches of any graph within seconds. An ordinary graph does not reach them: a model of 10,780 operators
  // was cut in 0.02 s (resources/docs/results/fusion.md), too little time for a fifth of the first limit.
  static constexpr std::int64_t kMostLookedAt = 100'000'000;
  static constexpr std::int64_t kMostLookedAtThen = 200;  // several times the nodes around a group of ten operators and its readers

  // Gives up when it has looked at more than `most` nodes, readers and places.
  Stretch survey(std::span<const GroupId> groups, std::int64_t most) const;
  void put(GroupId group, std::size_t place);
  // Puts the first of the groups in the place of all, after the groups that do not depend on them and before those that do.
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
