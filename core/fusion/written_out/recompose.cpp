// SPDX-License-Identifier: Apache-2.0
#include "core/fusion/written_out/recompose.h"

#include <algorithm>
#include <array>
#include <map>
#include <span>

#include "core/fusion/match/describe.h"
#include "core/fusion/match/patterns.h"
#include "core/fusion/written_out/written_out.h"
#include "core/ops/infer.h"

namespace fuselab {
namespace {

// Finders of later steps read what those before found.
constexpr std::array kFirst = {find_written_out_comparison, find_written_out_softmax, find_written_out_norm,
                               find_written_out_rotary, find_written_out_loss};
constexpr std::array kSecond = {find_written_out_choice, find_written_out_cross_entropy};

// One step: every operator found that does not overlap an earlier one.
class Step {
 public:
  explicit Step(const Graph& graph)
      : graph_(graph), index_(graph), part_of_(graph.nodes().size()), is_operand_(graph.values().size()) {}

  bool find(std::span<const WrittenOutFinder> finders) {
    for (std::size_t i = 0; i < index_.size(); ++i) {
      const NodeId id{static_cast<std::uint32_t>(i)};
      if (!index_.is_compute(id) || index_.node(id).op == Op::kOpaque) continue;
      for (const WrittenOutFinder finder : finders) take_first_fitting(finder(index_, id));
    }
    return !found_.empty();
  }

  // Returns nothing where the graph cannot be made anew.
  std::optional<Recomposed> rebuilt() {
    Recomposed made;
    std::vector<std::optional<ValueId>> values(graph_.values().size());
    for (const ValueId input : graph_.inputs()) {
      const Value& value = graph_.value(input);
      values[index_of(input)] = made.graph.add_input(value.name, value.type, value.origin);
    }
    for (std::size_t i = 0; i < graph_.nodes().size(); ++i) {
      const Node& node = graph_.nodes()[i];
      const WrittenOut* whole = part_of_[i] ? &found_[*part_of_[i]] : nullptr;
      made.moved.emplace_back();
      if (whole == nullptr ? is_left_over(node) : node.outputs.front() != whole->result) continue;
      if (whole == nullptr && reads_what_is_gone(node, values)) continue;
      const auto added = whole == nullptr ? copied(node, values, made.graph) : composed(*whole, node, values, made.graph);
      if (!added) return std::nullopt;
      if (whole == nullptr) made.moved.back() = added;
      for (std::size_t k = 0; k < node.outputs.size(); ++k) values[index_of(node.outputs[k])] = made.graph.node(*added).outputs[k];
    }
    for (const ValueId output : graph_.outputs()) {
      if (!values[index_of(output)]) return std::nullopt;
      made.graph.add_output(*values[index_of(output)]);
    }
    add_notes(made.notes);
    return made;
  }

 private:
  void take_first_fitting(const std::vector<WrittenOut>& readings) {
    for (const WrittenOut& reading : readings) {
      if (!fits(reading)) continue;
      for (const NodeId id : reading.nodes) part_of_[index_of(id)] = found_.size();
      for (const ValueId input : reading.inputs) is_operand_[index_of(input)] = true;
      found_.push_back(reading);
      return;
    }
  }

  bool fits(const WrittenOut& reading) const {
    std::vector<TensorType> types;
    for (const ValueId input : reading.inputs) types.push_back(index_.type(input));
    const auto results = infer_types(reading.op, types, reading.attributes);
    if (!results.ok() || results.value().size() != 1 || results.value().front() != index_.type(reading.result)) return false;
    const std::vector<NodeId> nodes = node_set(reading.nodes);
    return std::all_of(nodes.begin(), nodes.end(), [&](NodeId id) { return is_private(reading, nodes, id); });
  }

  // Returns whether a node is only a part of this operator, which consists of those nodes.
  bool is_private(const WrittenOut& reading, std::span<const NodeId> nodes, NodeId id) const {
    const Node& node = index_.node(id);
    if (part_of_[index_of(id)] || node.annotation.kind != FusionAnnotation::Kind::kNone) return false;
    return std::all_of(node.outputs.begin(), node.outputs.end(), [&](ValueId value) {
      if (value == reading.result) return true;
      const auto readers = index_.readers(value);
      if (index_.is_output(value) || readers.size() > nodes.size()) return false;
      return std::all_of(readers.begin(), readers.end(),
                         [&](NodeId reader) { return std::binary_search(nodes.begin(), nodes.end(), reader); });
    });
  }

  // A constant that only parts of operators read, and none of those operators itself.
  bool is_left_over(const Node& node) const {
    const ValueId made = node.outputs.front();
    if (node.op != Op::kConstant || index_.is_output(made) || is_operand_[index_of(made)]) return false;
    const auto readers = index_.readers(node.outputs.front());
    return !readers.empty() &&
           std::all_of(readers.begin(), readers.end(), [&](NodeId reader) { return part_of_[index_of(reader)].has_value(); });
  }

  using Values = std::vector<std::optional<ValueId>>;

  // A node that reads what is gone computes nothing that an output needs.
  static bool reads_what_is_gone(const Node& node, const Values& now) {
    return std::any_of(node.inputs.begin(), node.inputs.end(), [&](ValueId value) { return !now[index_of(value)]; });
  }

  static std::vector<ValueId> mapped(const std::vector<ValueId>& values, const Values& now) {
    std::vector<ValueId> result;
    for (const ValueId value : values) result.push_back(*now[index_of(value)]);
    return result;
  }

  std::vector<std::string> names_of(const Node& node) const {
    std::vector<std::string> names;
    for (const ValueId output : node.outputs) names.push_back(graph_.value(output).name);
    return names;
  }

  std::optional<NodeId> copied(const Node& node, const Values& now, Graph& graph) const {
    std::vector<ValueId> inputs = mapped(node.inputs, now);
    std::optional<NodeId> added;
    if (node.op == Op::kOpaque) {
      std::vector<TensorType> types;
      for (const ValueId output : node.outputs) types.push_back(graph_.type(output));
      added = graph.add_opaque(node.opaque_type, std::move(inputs), std::move(types), names_of(node));
    } else {
      const auto result = graph.add_node(node.op, std::move(inputs), node.attributes, names_of(node));
      if (!result.ok()) return std::nullopt;
      added = result.value();
    }
    graph.node(*added).name = node.name;
    graph.node(*added).annotation = node.annotation;
    return added;
  }

  std::optional<NodeId> composed(const WrittenOut& whole, const Node& last, const Values& now, Graph& graph) const {
    const bool is_there =
        std::all_of(whole.inputs.begin(), whole.inputs.end(), [&](ValueId value) { return now[index_of(value)]; });
    if (!is_there) return std::nullopt;
    const auto added = graph.add_node(whole.op, mapped(whole.inputs, now), whole.attributes, names_of(last));
    if (!added.ok()) return std::nullopt;
    graph.node(added.value()).name = last.name;
    return added.value();
  }

  void add_notes(std::vector<std::string>& notes) const {
    std::map<std::string, std::vector<const WrittenOut*>> by_operator;
    for (const WrittenOut& whole : found_) by_operator[std::string(name_of(whole.op))].push_back(&whole);
    for (const auto& [op, all] : by_operator) {
      const auto first = *std::min_element(all.front()->nodes.begin(), all.front()->nodes.end());
      const std::string which = std::to_string(all.front()->nodes.size()) + " nodes from '" + node_name(index_, first) + "' to '" +
                                graph_.value(all.front()->result).name + "' write out " + op;
      const std::string others = all.size() == 1 ? "" : ", and so do " + std::to_string(all.size() - 1) + " more groups";
      notes.push_back(which + others + ": read as that operator");
    }
  }

  const Graph& graph_;
  GraphIndex index_;
  std::vector<WrittenOut> found_;
  std::vector<std::optional<std::size_t>> part_of_;  // by node: which of those found
  std::vector<bool> is_operand_;                     // by value: of one of those found
};

// The second step after the first.
Recomposed after(Recomposed first, Recomposed second) {
  for (auto& place : first.moved) place = place ? second.moved[index_of(*place)] : std::nullopt;
  second.moved = std::move(first.moved);
  second.notes.insert(second.notes.begin(), first.notes.begin(), first.notes.end());
  return second;
}

}  // namespace

std::optional<Recomposed> recompose(const Graph& graph) {
  std::optional<Recomposed> made;
  for (const std::span<const WrittenOutFinder> finders :
       {std::span<const WrittenOutFinder>(kFirst), std::span<const WrittenOutFinder>(kSecond)}) {
    Step step(made ? made->graph : graph);
    if (!step.find(finders)) continue;
    auto next = step.rebuilt();
    if (!next) continue;
    made = made ? after(*std::move(made), *std::move(next)) : std::move(next);
  }
  return made;
}

}  // namespace fuselab
