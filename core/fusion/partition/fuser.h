// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/fusion/match/fusion_types.h"
#include "core/fusion/match/group.h"
#include "core/fusion/match/patterns.h"
#include "core/fusion/partition/partition.h"
#include "core/fusion/partition/refused_groups.h"

namespace fuselab {

// Builds the groups of one graph: patterns first, then growth by priority until nothing more may join, then views at the
// ends. Borrows index and options.
class Fuser {
 public:
  // `among` restricts grouping to these nodes; empty: all nodes.
  Fuser(const GraphIndex& index, const FusionOptions& options, std::span<const NodeId> among = {});
  // Makes none of these groups. They are of the graph that this one was made of, whose node each of this one is, by `origins`;
  // empty: both are the same. Borrows both; call it before run().
  void refuse(const RefusedGroups& groups, std::span<const NodeId> origins);
  void run();

  const Partition& partition() const { return partition_; }
  const Group& group(GroupId id) const { return groups_[static_cast<std::size_t>(id)]; }
  // Returns the reason why two neighbours of different groups stayed apart. Call it after run().
  Refusal why_apart(NodeId producer, NodeId consumer) const;

 private:
  using Finder = std::optional<PatternMatch> (*)(const GraphIndex&, NodeId);
  enum class Stage { kContractions, kRows, kAll };

  void seed(Finder find);
  void seed(const PatternMatch& match);
  // Returns the reason why a pattern may not become a group, or nothing.
  std::optional<Refusal> objection(const PatternMatch& match) const;
  void grow(Stage stage);
  std::vector<NodeId> nodes_by_priority() const;
  bool takes_part(Stage stage, const Group& producer, const Group& consumer) const;
  // Joins two groups when form, limits, benefit and paths allow it. Returns true when it did.
  bool try_join(GroupId producer, GroupId consumer);
  Joined may_join(GroupId producer, GroupId consumer) const;
  void attach_views_to_producers();
  bool is_mask(NodeId reader, ValueId value) const;
  void attach_views_to_consumers();
  bool attach(GroupId view, GroupId other, bool view_last);
  bool allowed(NodeId id) const { return among_.empty() || among_[index_of(id)]; }
  // Returns why no asked backend writes these nodes as one kernel, or nothing.
  std::optional<Refusal> refused_as_one(std::span<const NodeId> a, std::span<const NodeId> b = {}) const;
  std::string name_of_group(GroupId id) const;

  const GraphIndex& index_;
  const FusionOptions& options_;
  Partition partition_;
  std::vector<Group> groups_;  // by GroupId
  std::vector<bool> among_;    // by node; empty: all
  const RefusedGroups* refused_groups_ = nullptr;
  std::span<const NodeId> origins_;
  struct RefusedPattern {
    PatternMatch match;
    Refusal refusal;
  };
  // Returns the first refused pattern that holds both nodes, or null.
  const RefusedPattern* refused_with(NodeId a, NodeId b) const;

  std::vector<RefusedPattern> refused_;
  std::map<NodeId, std::vector<std::size_t>> refused_at_;  // by node: indices of its refused patterns, ascending
};

}  // namespace fuselab
