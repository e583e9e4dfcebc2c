// SPDX-License-Identifier: Apache-2.0
#include "core/fusion/partition/partition.h"

#include <algorithm>
#include <limits>

namespace fuselab {
namespace {

constexpr std::int64_t kNoEnd = std::numeric_limits<std::int64_t>::max();

}  // namespace

Partition::Partition(const GraphIndex& index)
    : index_(&index), group_of_(index.size()), members_(index.size()), rank_(index.size()) {
  for (std::size_t i = 0; i < index.size(); ++i) {
    const NodeId id{static_cast<std::uint32_t>(i)};
    if (!index.is_compute(id)) continue;
    // Nodes are listed in a topological order, so singletons start in one.
    const GroupId group{static_cast<std::uint32_t>(i)};
    group_of_[i] = group;
    members_[i] = {id};
    rank_[i] = order_.size();
    order_.emplace_back(group);
  }
  seen_.assign(index.size(), 0);
}

Partition::Stretch Partition::survey(std::span<const GroupId> groups, std::int64_t most) const {
  Stretch stretch;
  const std::int64_t before = looked_at_;
  stretch.first = stretch.last = rank(groups.front());
  ++survey_;
  std::vector<std::pair<GroupId, GroupId>> open;  // group to visit, and the first group outside on its path
  for (GroupId group : groups) {
    stretch.first = std::min(stretch.first, rank(group));
    stretch.last = std::max(stretch.last, rank(group));
  }
  const auto inside = [&](GroupId group) { return std::find(groups.begin(), groups.end(), group) != groups.end(); };
  const auto push_consumers = [&](GroupId from, std::optional<GroupId> path) {
    for (NodeId member : members(from)) {
      looked_at_ += 1 + static_cast<std::int64_t>(index_->consumers(member).size());
      stretch.gave_up = stretch.gave_up || looked_at_ - before > most;
      if (stretch.gave_up) return;
      for (NodeId reader : index_->consumers(member)) {
        const GroupId next = group_of(reader);
        if (next == from || rank(next) > stretch.last) continue;
        if (inside(next)) {
          if (path && !stretch.obstacle) stretch.obstacle = path;
          continue;
        }
        if (seen_[static_cast<std::size_t>(next)] == survey_) continue;
        seen_[static_cast<std::size_t>(next)] = survey_;
        open.emplace_back(next, path.value_or(next));
      }
    }
  };
  for (GroupId group : groups) push_consumers(group, std::nullopt);
  while (!open.empty() && !stretch.obstacle && !stretch.gave_up) {
    const auto [group, path] = open.back();
    open.pop_back();
    stretch.downstream.push_back(group);
    push_consumers(group, path);
  }
  return stretch;
}

std::optional<Partition::Obstacle> Partition::obstacle(std::span<const GroupId> groups) const {
  const std::int64_t most = looked_at_ > kMostLookedAt ? kMostLookedAtThen : kNoEnd;
  const Stretch stretch = survey(groups, most);
  if (stretch.obstacle) return Obstacle{stretch.obstacle};
  const bool long_to_mend = !stretch.downstream.empty() && static_cast<std::int64_t>(stretch.last - stretch.first) > most;
  if (!stretch.gave_up && !long_to_mend) return std::nullopt;
  gave_up_ = true;
  return Obstacle{};
}

GroupId Partition::contract(std::span<const GroupId> groups) {
  const Stretch stretch = survey(groups, kNoEnd);
  FL_ASSERT(!stretch.obstacle);
  if (stretch.downstream.empty()) {
    // Any group in between may come before them, so they take the last of their places.
    for (GroupId group : groups) order_[rank(group)].reset();
    put(groups.front(), stretch.last);
  } else {
    mend_order(stretch, groups);
  }
  return merge_members(groups);
}

void Partition::put(GroupId group, std::size_t place) {
  order_[place] = group;
  rank_[static_cast<std::size_t>(group)] = place;
}

void Partition::mend_order(const Stretch& stretch, std::span<const GroupId> groups) {
  looked_at_ += static_cast<std::int64_t>(stretch.last - stretch.first);
  std::vector<GroupId> upstream;
  std::vector<GroupId> downstream;
  for (std::size_t i = stretch.first; i <= stretch.last; ++i) {
    const auto group = order_[i];
    if (!group || std::find(groups.begin(), groups.end(), *group) != groups.end()) continue;
    // survey() marked what depends on the groups; everything else in the stretch may come before them.
    const bool depends = seen_[static_cast<std::size_t>(*group)] == survey_;
    (depends ? downstream : upstream).push_back(*group);
  }
  std::size_t place = stretch.first;
  for (GroupId group : upstream) put(group, place++);
  put(groups.front(), place++);
  for (GroupId group : downstream) put(group, place++);
  for (; place <= stretch.last; ++place) order_[place].reset();
}

GroupId Partition::merge_members(std::span<const GroupId> groups) {
  const GroupId survivor = groups.front();
  auto& nodes = members_[static_cast<std::size_t>(survivor)];
  for (GroupId group : groups.subspan(1)) {
    auto& absorbed = members_[static_cast<std::size_t>(group)];
    for (NodeId node : absorbed) group_of_[index_of(node)] = survivor;
    nodes.insert(nodes.end(), absorbed.begin(), absorbed.end());
    absorbed.clear();
  }
  std::sort(nodes.begin(), nodes.end());
  return survivor;
}

std::vector<GroupId> Partition::order() const {
  std::vector<GroupId> groups;
  for (const auto& group : order_) {
    if (group) groups.push_back(*group);
  }
  return groups;
}

}  // namespace fuselab
