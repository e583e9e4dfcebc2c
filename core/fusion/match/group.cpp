// SPDX-License-Identifier: Apache-2.0
#include "core/fusion/match/group.h"

#include <algorithm>
#include <span>
#include <vector>

#include "core/fusion/match/describe.h"
#include "core/fusion/match/forms.h"

namespace fuselab {
bool is_row_scalar(const Shape& shape, const Shape& space) {
  if (space.empty() || shape.empty()) return shape.empty() && space.size() == 1;
  const auto rows_end = space.end() - 1;
  if (shape.size() + 1 == space.size()) return std::equal(shape.begin(), shape.end(), space.begin(), rows_end);
  return shape.size() == space.size() && shape.back() == Dim(1) &&
         std::equal(shape.begin(), shape.end() - 1, space.begin(), rows_end);
}

namespace {

Group group_of_operator(const GraphIndex& index, const FusionOptions& options, NodeId id) {
  if (auto refused = written_alone(options, index.node(id).op)) {
    Group group = alone(index.out_type(id).shape, {});
    group.alone_because = *std::move(refused);
    return group;
  }
  return form_of(index, id);
}

}  // namespace

std::string forbidden_by_branches(const GraphIndex& index, NodeId a, NodeId b) {
  if (index.node(a).annotation.branch == index.node(b).annotation.branch) return {};
  return "one of them belongs to a branch of an If, whose condition is computed: a branch is cut apart from what is around it";
}

std::string forbidden_by_annotation(const GraphIndex& index, NodeId id) {
  const FusionAnnotation& annotation = index.node(id).annotation;
  if (annotation.kind != FusionAnnotation::Kind::kNoFusion) return {};
  return "'" + node_name(index, id) + "' is annotated NoFusion: " + annotation.reason;
}

Group group_of_node(const GraphIndex& index, const FusionOptions& options, NodeId id) {
  std::string forbidden = forbidden_by_annotation(index, id);
  if (!forbidden.empty() && index.node(id).op != Op::kOpaque) return alone(index.out_type(id).shape, std::move(forbidden));
  Group group = group_of_operator(index, options, id);
  group.most_operators = index.node(id).annotation.max_operations;
  return group;
}

namespace {

// Returns how many nodes are in both sets. It takes the time of the smaller one, since a value may have a whole model's readers.
std::size_t common(std::span<const NodeId> a, std::span<const NodeId> b) {
  const auto &few = a.size() < b.size() ? a : b, &many = a.size() < b.size() ? b : a;
  return static_cast<std::size_t>(
      std::count_if(few.begin(), few.end(), [&](NodeId id) { return std::binary_search(many.begin(), many.end(), id); }));
}

}  // namespace

int benefit_score(const GraphIndex& index, std::span<const NodeId> nodes) {
  std::vector<NodeId> members(nodes.begin(), nodes.end());
  std::sort(members.begin(), members.end());
  double between = 0;
  double avoided = 0;
  int operators = 0;
  for (NodeId id : nodes) {
    operators += is_view(index.node(id).op) ? 0 : 1;
    for (ValueId value : index.node(id).outputs) {
      const auto readers = index.readers(value);
      const std::size_t inside = common(readers, members);
      if (inside == 0) continue;
      const bool kept = index.is_output(value) || readers.size() > inside;
      const auto size = size_of(index.type(value));
      // A symbolic tensor has no known size, so only the number of its passes counts.
      const double bytes = size.ok() ? static_cast<double>(size.value().count) : 1.0;
      between += bytes * static_cast<double>(1 + inside);
      avoided += bytes * static_cast<double>(inside + (kept ? 0 : 1));
    }
  }
  const double share = between > 0 ? 100.0 * avoided / between : 0.0;
  return std::min(100, static_cast<int>(share) + 5 * std::max(0, operators - 1));
}

}  // namespace fuselab
