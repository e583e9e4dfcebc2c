// SPDX-License-Identifier: Apache-2.0
#include "core/fusion/partition/fuser.h"

#include <algorithm>
#include <array>

namespace fuselab {

Fuser::Fuser(const GraphIndex& index, const FusionOptions& options, std::span<const NodeId> among)
    : index_(index), options_(options), partition_(index) {
  for (std::size_t i = 0; i < index.size(); ++i) {
    groups_.push_back(group_of_node(index, options, NodeId(static_cast<std::uint32_t>(i))));
  }
  if (among.empty()) return;
  among_.assign(index.size(), false);
  for (NodeId id : among) among_[index_of(id)] = true;
}

void Fuser::refuse(const RefusedGroups& groups, std::span<const NodeId> origins) {
  refused_groups_ = &groups;
  origins_ = origins;
}

void Fuser::run() {
  if (!options_.enable_fusion) return;
  if (options_.aggressiveness != FusionAggressiveness::kConservative) {
    seed(find_attention);
    seed(find_rotary);
    seed(find_norm);
    seed(find_softmax);
    seed(find_integer_product);
    if (options_.enable_transposed_operands) seed(find_transposed_operand);
    grow(Stage::kContractions);
  }
  seed(find_swiglu);
  grow(Stage::kRows);
  grow(Stage::kAll);
  attach_views_to_producers();
  attach_views_to_consumers();
}

void Fuser::seed(Finder find) {
  for (std::size_t i = 0; i < index_.size(); ++i) {
    const NodeId id{static_cast<std::uint32_t>(i)};
    if (!index_.is_compute(id) || index_.node(id).op == Op::kOpaque) continue;
    if (const auto match = find(index_, id)) seed(*match);
  }
}

namespace {

// Limits the nodes of a piece. Each join looks at all of them, and the limits on operators leave out nodes that only rename, of
// which a foreign graph may have a quarter of a million in a row. This is many times what graphs have between two operators
// otherwise.
constexpr std::size_t kMostNodes = 256;

// Limits the passes over all edges. Nodes that join backwards join one a pass, so this is more than max_fusion_ops; it is less than
// what nodes that only rename may reach.
constexpr int kMostPasses = 32;

constexpr const char* kNotFollowed =
    "whether a path leaves the group and comes back was not followed to its end: paths of this graph cross too often";

Refusal too_many_nodes() {
  return {"together they are more than " + std::to_string(kMostNodes) + " nodes, those that only rename among them", {}};
}

}  // namespace

std::optional<Refusal> Fuser::objection(const PatternMatch& match) const {
  const auto no = [](std::string reason) { return Refusal{std::move(reason), {}}; };
  if (match.pattern == FusionPatternType::kAttention && !options_.enable_attention_fusion) return no("attention fusion is off");
  if (match.reads_bytes()) {
    if (auto refused = multiplies_no_bytes(options_)) return refused;
  }
  int operators = 0, most = 0;
  for (NodeId id : match.nodes) {
    if (std::string forbidden = forbidden_by_annotation(index_, id); !forbidden.empty()) return no(std::move(forbidden));
    if (std::string forbidden = forbidden_by_branches(index_, match.nodes.front(), id); !forbidden.empty())
      return no(std::move(forbidden));
    most = stricter(most, index_.node(id).annotation.max_operations);
    if (!partition_.contains(id) || !allowed(id)) return no("part of it is not among the nodes that may be fused");
    if (partition_.members(partition_.group_of(id)).size() != 1) return no("an earlier pattern already holds part of it");
    operators += groups_[index_of(id)].operators;
  }
  if (const int limit = options_.max_fusion_ops + kPatternAllowance; operators > limit) {
    return no("it has " + std::to_string(operators) + " operators, and the limit of a pattern is " + std::to_string(limit));
  }
  if (most > 0 && operators > most) {
    return no("it has " + std::to_string(operators) + " operators, and one of them is annotated Fusible with at most " +
              std::to_string(most));
  }
  if (auto refused = too_many_operators(options_, operators)) return refused;
  if (match.nodes.size() > kMostNodes) return too_many_nodes();
  if (auto refused = too_many_tensors(options_, index_, match.nodes)) return refused;
  if (auto refused = refused_as_one(match.nodes)) return refused;
  std::vector<GroupId> groups;
  for (NodeId id : match.nodes) groups.push_back(partition_.group_of(id));
  if (const auto obstacle = partition_.obstacle(groups)) {
    if (!obstacle->through) return no(kNotFollowed);
    return no("a path through " + name_of_group(*obstacle->through) + " leaves it and comes back");
  }
  return std::nullopt;
}

void Fuser::seed(const PatternMatch& match) {
  if (auto refusal = objection(match)) {
    for (NodeId id : match.nodes) refused_at_[id].push_back(refused_.size());
    refused_.push_back({match, *std::move(refusal)});
    return;
  }
  Group group;
  group.form = match.form;
  group.space = match.space;
  group.anchor = match.anchor;
  group.pattern = match.pattern;
  group.prologue = match.prologue;
  group.prologue_decision = match.prologue_decision;
  group.operators = 0;
  std::vector<GroupId> groups;
  for (NodeId id : match.nodes) {
    groups.push_back(partition_.group_of(id));
    group.operators += groups_[index_of(id)].operators;
    group.most_operators = stricter(group.most_operators, groups_[index_of(id)].most_operators);
  }
  groups_[static_cast<std::size_t>(partition_.contract(groups))] = group;
}

bool Fuser::takes_part(Stage stage, const Group& producer, const Group& consumer) const {
  switch (stage) {
    case Stage::kContractions: return is_contraction(producer.form);
    case Stage::kRows: return producer.form == Form::kRows || consumer.form == Form::kRows;
    case Stage::kAll: return true;
  }
  return true;
}

// Returns the nodes by falling priority; nodes that nobody annotated keep their order.
std::vector<NodeId> Fuser::nodes_by_priority() const {
  std::vector<NodeId> order;
  for (std::size_t i = 0; i < index_.size(); ++i) order.push_back(NodeId(static_cast<std::uint32_t>(i)));
  const auto priority = [&](NodeId id) { return index_.node(id).annotation.priority; };
  std::stable_sort(order.begin(), order.end(), [&](NodeId a, NodeId b) { return priority(a) > priority(b); });
  return order;
}

void Fuser::grow(Stage stage) {
  const std::vector<NodeId> order = nodes_by_priority();
  bool changed = true;
  for (int pass = 0; changed && pass < kMostPasses; ++pass) {
    changed = false;
    for (const NodeId consumer : order) {
      if (!partition_.contains(consumer) || !allowed(consumer)) continue;
      for (NodeId producer : index_.producers(consumer)) {
        const GroupId from = partition_.group_of(producer);
        const GroupId to = partition_.group_of(consumer);
        if (from == to || !allowed(producer) || !takes_part(stage, group(from), group(to))) continue;
        changed = try_join(from, to) || changed;
      }
    }
  }
}

Joined Fuser::may_join(GroupId producer, GroupId consumer) const {
  const auto a = partition_.members(producer);
  const auto b = partition_.members(consumer);
  if (a.size() + b.size() > kMostNodes) return {too_many_nodes(), {}};
  Joined candidate = join(index_, options_, group(producer), a, group(consumer), b);
  if (candidate.refused) return candidate;
  std::vector<NodeId> nodes(a.begin(), a.end());
  nodes.insert(nodes.end(), b.begin(), b.end());
  candidate.refused = too_many_tensors(options_, index_, nodes);
  if (!candidate.refused) candidate.refused = refused_as_one(nodes);
  if (candidate.refused) return candidate;
  if (const int score = benefit_score(index_, nodes); score < options_.min_benefit_score) {
    candidate.refused = Refusal{"fusing them is worth " + std::to_string(score) + ", below the least that pays, " +
                                    std::to_string(options_.min_benefit_score),
                                {}};
  } else if (const auto obstacle = partition_.obstacle(std::array{producer, consumer})) {
    candidate.refused = Refusal{kNotFollowed, {}};
    if (obstacle->through) {
      candidate.refused->reason = "a path through " + name_of_group(*obstacle->through) +
                                  " leaves the group and comes back: the pieces would wait for each other";
    }
  }
  return candidate;
}

bool Fuser::try_join(GroupId producer, GroupId consumer) {
  Joined joined = may_join(producer, consumer);
  if (joined.refused) return false;
  groups_[static_cast<std::size_t>(partition_.contract(std::array{producer, consumer}))] = std::move(joined.group);
  return true;
}

bool Fuser::attach(GroupId view, GroupId other, bool view_last) {
  if (view == other || group(other).form == Form::kOpaque) return false;
  if (!forbidden_by_branches(index_, partition_.members(view).front(), partition_.members(other).front()).empty()) return false;
  const std::array groups{other, view};
  const std::size_t nodes = partition_.members(view).size() + partition_.members(other).size();
  if (nodes > kMostNodes || partition_.obstacle(groups)) return false;
  if (refused_as_one(partition_.members(view), partition_.members(other))) return false;
  Group joined = group(other);
  // Two views are still a view, of the shape the last of them gives.
  if (joined.form == Form::kView && view_last) joined.space = group(view).space;
  groups_[static_cast<std::size_t>(partition_.contract(groups))] = joined;
  return true;
}

// Harmless when nobody but the view reads what it renames: then the group's output just has another shape.
void Fuser::attach_views_to_producers() {
  for (std::size_t i = 0; i < index_.size(); ++i) {
    const NodeId id{static_cast<std::uint32_t>(i)};
    if (groups_[i].form != Form::kView || !partition_.contains(id) || !allowed(id)) continue;
    const ValueId source = index_.node(id).inputs.front();
    const auto maker = index_.maker(source);
    if (!maker || !allowed(*maker) || index_.sole_reader(source) != id) continue;
    // One is what kernels expect; a second stays a piece of its own, which moves nothing, or joins whoever reads it.
    const Op op = index_.node(*maker).op;
    const bool second = is_view(op) && op != Op::kIdentity && group(partition_.group_of(*maker)).form != Form::kView;
    if (second) continue;
    attach(partition_.group_of(id), partition_.group_of(*maker), true);
  }
}

// A kernel of attention reads its mask as it lies in memory: no backend writes one that changes the mask's shape itself.
bool Fuser::is_mask(NodeId reader, ValueId value) const {
  constexpr std::size_t kMask = 3;  // of the operator Attention
  const Node& node = index_.node(reader);
  if (node.op == Op::kAdd || node.op == Op::kWhere) return true;
  return node.op == Op::kAttention && node.inputs.size() > kMask && node.inputs[kMask] == value;
}

// Harmless when one group alone reads the view: then that group's input just has another shape.
void Fuser::attach_views_to_consumers() {
  for (std::size_t i = index_.size(); i-- > 0;) {
    const NodeId id{static_cast<std::uint32_t>(i)};
    if (!partition_.contains(id) || !allowed(id)) continue;
    const GroupId own = partition_.group_of(id);
    const ValueId result = output_of(index_, id);
    if (group(own).form != Form::kView || index_.is_output(result) || index_.readers(result).empty()) continue;
    std::optional<GroupId> reader;
    bool stays = false;
    for (NodeId node : index_.readers(result)) {
      const GroupId next = partition_.group_of(node);
      stays =
          stays || (reader && *reader != next) || !allowed(node) || (group(next).form == Form::kAttention && is_mask(node, result));
      reader = next;
    }
    if (!stays) attach(own, *reader, false);
  }
}

std::optional<Refusal> Fuser::refused_as_one(std::span<const NodeId> a, std::span<const NodeId> b) const {
  if (refused_groups_ == nullptr || refused_groups_->empty()) return std::nullopt;
  std::vector<NodeId> nodes(a.begin(), a.end());
  nodes.insert(nodes.end(), b.begin(), b.end());
  if (!origins_.empty()) {
    for (NodeId& node : nodes) node = origins_[index_of(node)];
  }
  std::sort(nodes.begin(), nodes.end());
  return refused_groups_->within(nodes);
}

std::string Fuser::name_of_group(GroupId id) const {
  const Node& node = index_.node(partition_.members(id).front());
  if (!node.name.empty()) return "'" + node.name + "'";
  return node.op == Op::kOpaque ? node.opaque_type : std::string(name_of(node.op));
}

const Fuser::RefusedPattern* Fuser::refused_with(NodeId a, NodeId b) const {
  const auto with_a = refused_at_.find(a), with_b = refused_at_.find(b);
  if (with_a == refused_at_.end() || with_b == refused_at_.end()) return nullptr;
  // One of them may be part of every pattern there is.
  for (const std::size_t place : with_a->second.size() < with_b->second.size() ? with_a->second : with_b->second) {
    const auto& nodes = refused_[place].match.nodes;
    const auto holds = [&](NodeId id) { return std::binary_search(nodes.begin(), nodes.end(), id); };
    if (holds(a) && holds(b)) return &refused_[place];
  }
  return nullptr;
}

Refusal Fuser::why_apart(NodeId producer, NodeId consumer) const {
  if (const RefusedPattern* const pattern = refused_with(producer, consumer)) {
    return {"they belong to a " + std::string(name_of(pattern->match.pattern)) +
                " pattern that was not fused: " + pattern->refusal.reason,
            pattern->refusal.backend};
  }
  return may_join(partition_.group_of(producer), partition_.group_of(consumer)).refused.value_or(Refusal());
}

}  // namespace fuselab
