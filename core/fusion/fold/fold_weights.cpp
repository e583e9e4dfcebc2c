// SPDX-License-Identifier: Apache-2.0
#include "core/fusion/fold/fold_weights.h"

#include <algorithm>
#include <utility>

#include "core/cost/cost.h"
#include "core/fusion/fold/norm_recipe.h"
#include "core/fusion/fold/prune.h"
#include "core/fusion/match/describe.h"
#include "core/fusion/match/graph_index.h"

namespace fuselab {
namespace {

// A model's weights are folded in seconds and some hundreds of megabytes; what would take more stays an operator.
constexpr std::int64_t kMostElementsOfOne = std::int64_t{1} << 25;
constexpr std::int64_t kMostElements = std::int64_t{1} << 28;
constexpr double kMostFlops = 1 << 28;
constexpr std::int64_t kMoreBytes = 4096;  // that a result may take than its operands

bool is_plain(const Node& node) {
  return node.annotation.kind == FusionAnnotation::Kind::kNone;
}

// Integers are exact in float64 up to here.
bool is_exact(DType dtype) {
  return is_floating(dtype) || bits_of(dtype) <= 32;
}

class Folder {
 public:
  Folder(const Graph& graph, const std::set<std::string>& constants)
      : graph_(graph),
        index_(graph),
        now_(graph.values().size()),
        constant_(graph.values().size()),
        absorbed_(graph.nodes().size()) {
    for (const Value& value : graph.values()) names_.insert(value.name);
    made_.moved.resize(graph.nodes().size());
    for (const ValueId input : graph.inputs()) {
      const Value& value = graph.value(input);
      now_[index_of(input)] = made_.graph.add_input(value.name, value.type, value.origin);
      constant_[index_of(input)] =
          value.origin == ValueOrigin::kParam && constants.contains(value.name) && is_concrete(value.type.shape);
    }
  }

  std::optional<FoldedGraph> run() {
    for (std::size_t i = 0; i < graph_.nodes().size(); ++i) {
      const NodeId id{static_cast<std::uint32_t>(i)};
      const bool is_dead = !index_.is_compute(id) && graph_.node(id).op != Op::kConstant;
      if (is_dead || absorbed_[i] || fold_operator(id) || fold_norm(id)) continue;
      if (!copy(id)) return std::nullopt;
    }
    if (made_.norms + made_.operators == 0) return std::nullopt;
    for (const ValueId output : graph_.outputs()) made_.graph.add_output(now(output));
    made_.graph = without_unread(made_.graph);
    return std::move(made_);
  }

 private:
  ValueId now(ValueId value) const { return *now_[index_of(value)]; }
  const TensorType& type(ValueId value) const { return graph_.type(value); }
  RecipeParam param(ValueId value) const { return {made_.graph.value(now(value)).name, type(value)}; }
  bool is_weight(ValueId value) const { return constant_[index_of(value)] && !index_.is_constant(value); }

  // "Conv 'stem/conv'"
  std::string label(NodeId id) const { return std::string(name_of(graph_.node(id).op)) + " '" + node_name(index_, id) + "'"; }

  bool copy(NodeId id) {
    const Node& node = graph_.node(id);
    std::vector<ValueId> inputs;
    for (const ValueId input : node.inputs) inputs.push_back(now(input));
    if (!append(node, std::move(inputs), node.attributes, id, node.outputs)) return false;
    for (const ValueId output : node.outputs) constant_[index_of(output)] = node.op == Op::kConstant;
    return true;
  }

  // Adds a node for `like`, whose results stand for those values of the given graph.
  bool append(const Node& like, std::vector<ValueId> inputs, Attributes attributes, NodeId id,
              const std::vector<ValueId>& results) {
    std::vector<std::string> names;
    std::vector<TensorType> types;
    for (const ValueId result : results) {
      names.push_back(graph_.value(result).name);
      types.push_back(type(result));
    }
    NodeId added{};
    if (like.op == Op::kOpaque) {
      added = made_.graph.add_opaque(like.opaque_type, std::move(inputs), std::move(types), std::move(names));
      made_.graph.node(added).attributes = std::move(attributes);
    } else {
      auto result = made_.graph.add_node(like.op, std::move(inputs), std::move(attributes), std::move(names));
      if (!result.ok()) return false;
      added = result.value();
    }
    made_.graph.node(added).name = like.name;
    made_.graph.node(added).annotation = like.annotation;
    made_.moved[index_of(id)] = added;
    for (std::size_t i = 0; i < results.size(); ++i) now_[index_of(results[i])] = made_.graph.node(added).outputs[i];
    return true;
  }

  bool spend(const Graph& recipe) {
    std::int64_t elements = 0;
    for (const Value& value : recipe.values()) {
      const auto count = element_count(value.type.shape);
      if (!count.ok() || count.value() > kMostElementsOfOne) return false;
      elements += count.value();
    }
    const auto cost = cost_of(recipe);
    if (!cost.ok() || elements_ + elements > kMostElements || flops_ + cost.value().flops > kMostFlops) return false;
    elements_ += elements;
    flops_ += cost.value().flops;
    return true;
  }

  ValueId add_weight(const std::string& wish, const TensorType& type, Graph recipe) {
    std::string name = wish;
    for (int& last = last_number_.emplace(wish, 1).first->second; !names_.insert(name).second;)
      name = wish + "_" + std::to_string(++last);
    made_.weights.push_back({name, std::move(recipe)});
    return made_.graph.add_input(name, type, ValueOrigin::kParam);
  }

  bool fold_operator(NodeId id) {
    const Node& node = graph_.node(id);
    if (node.op == Op::kConstant || node.op == Op::kOpaque || node.outputs.size() != 1 || !is_plain(node)) return false;
    const ValueId result = node.outputs.front();
    const TensorType& made = type(result);
    if (index_.is_output(result) || !is_floating(made.dtype) || !is_concrete(made.shape)) return false;
    std::int64_t bytes = kMoreBytes;
    bool reads_weights = false;
    for (const ValueId input : node.inputs) {
      if (!constant_[index_of(input)] || !is_exact(type(input).dtype)) return false;
      const auto size = size_of(type(input));
      if (!size.ok()) return false;
      bytes += size.value().count;
      reads_weights = reads_weights || is_weight(input);
    }
    const auto size = size_of(made);
    if (!reads_weights || !size.ok() || size.value().count > bytes) return false;
    auto recipe = recipe_of(node);
    if (!recipe || !spend(*recipe)) return false;
    now_[index_of(result)] = add_weight(graph_.value(result).name + "_folded", made, *std::move(recipe));
    constant_[index_of(result)] = true;
    ++made_.operators;
    made_.fold_notes.push_back(label(id) + " folded into the weight '" + made_.weights.back().name + "': it reads weights alone");
    return true;
  }

  std::optional<Graph> recipe_of(const Node& node) const {
    Graph recipe;
    std::map<ValueId, ValueId> known;
    for (const ValueId input : node.inputs) {
      if (known.contains(input)) continue;
      const auto& producer = graph_.value(input).producer;
      if (is_weight(input)) {
        known[input] = recipe.add_input(param(input).name, type(input), ValueOrigin::kParam);
      } else {
        const auto copied = recipe.add_node(Op::kConstant, {}, graph_.node(*producer).attributes);
        if (!copied.ok()) return std::nullopt;
        known[input] = recipe.node(copied.value()).outputs.front();
      }
    }
    std::vector<ValueId> inputs;
    for (const ValueId input : node.inputs) inputs.push_back(known.at(input));
    const auto added = recipe.add_node(node.op, std::move(inputs), node.attributes);
    if (!added.ok()) return std::nullopt;
    recipe.add_output(recipe.node(added.value()).outputs.front());
    return recipe;
  }

  // The BatchNormalization that alone reads what this contraction makes, and whose operands are weights.
  std::optional<NodeId> norm_behind(const Node& node) const {
    const auto reader = index_.sole_reader(node.outputs.front());
    if (!reader || !index_.is_compute(*reader)) return std::nullopt;
    const Node& norm = index_.node(*reader);
    if (norm.op != Op::kBatchNormalization || norm.inputs.front() != node.outputs.front()) return std::nullopt;
    if (!is_plain(node) || !is_plain(norm) || node.annotation.branch != norm.annotation.branch) return std::nullopt;
    const bool weights = std::all_of(norm.inputs.begin() + 1, norm.inputs.end(), [&](ValueId input) { return is_weight(input); });
    return weights ? reader : std::nullopt;
  }

  std::optional<NormedWeights> normed(const Node& node, const Node& norm) const {
    if (node.inputs.size() < 2 || !is_weight(node.inputs[1])) return std::nullopt;
    if (node.inputs.size() > 2 && !is_weight(node.inputs[2])) return std::nullopt;
    const Shape& made = type(node.outputs.front()).shape;
    NormedWeights all;
    all.weight = param(node.inputs[1]);
    all.result = type(node.outputs.front()).dtype;
    if (node.op == Op::kGemm) {
      all.channel_axis = node.attributes.integer("transB", 0) != 0 ? 0 : 1;
      all.bias_factor = node.attributes.real("beta", 1);
    } else if (node.op == Op::kMatMul) {
      if (made.size() != 2 || all.weight.type.shape.size() != 2) return std::nullopt;
      all.channel_axis = 1;
    }
    const Dim channels = all.weight.type.shape[all.channel_axis];
    if (made.size() < 2 || made[1] != channels) return std::nullopt;
    if (node.inputs.size() > 2) {
      const Shape& bias = type(node.inputs[2]).shape;
      if (bias.empty() || bias.size() > 2 || bias.back() != channels || bias.front() != (bias.size() == 1 ? channels : Dim(1)))
        return std::nullopt;
      all.bias = param(node.inputs[2]);
    }
    all.scale = param(norm.inputs[1]);
    all.shift = param(norm.inputs[2]);
    all.mean = param(norm.inputs[3]);
    all.variance = param(norm.inputs[4]);
    all.epsilon = norm.attributes.real("epsilon", 1e-5);
    return all;
  }

  bool fold_norm(NodeId id) {
    const Node& node = graph_.node(id);
    if (node.op != Op::kConv && node.op != Op::kGemm && node.op != Op::kMatMul) return false;
    // Scaled, a weight of few bits could leave its range, where the numbers that it was written for do not.
    if (bits_of(type(node.outputs.front()).dtype) < 32) return false;
    const auto behind = norm_behind(node);
    if (!behind) return false;
    const Node& norm = graph_.node(*behind);
    const auto all = normed(node, norm);
    auto weight_recipe = all ? recipe_of_weight(*all) : std::nullopt;
    auto bias_recipe = all ? recipe_of_bias(*all) : std::nullopt;
    if (!weight_recipe || !bias_recipe || !spend(*weight_recipe) || !spend(*bias_recipe)) return false;
    const ValueId weight = add_weight(all->weight.name + "_normed", all->weight.type, *std::move(weight_recipe));
    const TensorType bias_type{all->result, {all->weight.type.shape[all->channel_axis]}};
    const ValueId bias = add_weight(all->shift.name + "_normed", bias_type, *std::move(bias_recipe));
    Attributes attributes = node.attributes;
    if (node.op == Op::kGemm) attributes.set("beta", 1.0);
    bool added = false;
    if (node.op == Op::kMatMul) {
      Node sum = norm;
      sum.op = Op::kAdd;
      added = append(node, {now(node.inputs[0]), weight}, attributes, id, node.outputs) &&
              append(sum, {now(node.outputs.front()), bias}, {}, *behind, norm.outputs);
    } else {
      added = append(node, {now(node.inputs[0]), weight, bias}, std::move(attributes), id, norm.outputs);
      made_.moved[index_of(*behind)] = made_.moved[index_of(id)];
    }
    FL_ASSERT(added);  // the types are those of the operators that it replaces
    absorbed_[index_of(*behind)] = true;
    ++made_.norms;
    made_.fold_notes.push_back(label(*behind) + " folded into the weights of " + label(id));
    return true;
  }

  // The same graph without params that only folded operators read. Nodes keep their places.
  Graph without_unread(const Graph& whole) const {
    std::vector<bool> read(whole.values().size());
    for (const Node& node : whole.nodes()) {
      for (const ValueId input : node.inputs) read[index_of(input)] = true;
    }
    for (const ValueId output : whole.outputs()) read[index_of(output)] = true;
    for (const ValueId input : graph_.inputs()) {
      if (index_.readers(input).empty()) read[index_of(now(input))] = true;
    }
    return keep(whole, std::vector<bool>(whole.nodes().size(), true), read).graph;
  }

  const Graph& graph_;
  const GraphIndex index_;
  std::vector<std::optional<ValueId>> now_;  // by value of the given graph
  std::vector<bool> constant_;               // by value of the given graph: its numbers are the same for every call
  std::vector<bool> absorbed_;               // by node of the given graph: part of the contraction before it
  std::set<std::string> names_;
  std::map<std::string, int> last_number_;  // that was put behind a name
  std::int64_t elements_ = 0;
  double flops_ = 0;
  FoldedGraph made_;
};

}  // namespace

std::optional<FoldedGraph> fold_weights(const Graph& graph, const std::set<std::string>& constants) {
  return constants.empty() ? std::nullopt : Folder(graph, constants).run();
}

}  // namespace fuselab
