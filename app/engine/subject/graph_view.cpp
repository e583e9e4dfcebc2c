// SPDX-License-Identifier: Apache-2.0
#include "app/engine/subject/graph_view.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <set>

#include "core/base/words.h"
#include "core/fusion/explain/statistics.h"
#include "core/fusion/explain/why_not.h"
#include "core/graph/graph_text.h"

namespace fuselab::engine {
namespace {

std::string node_name(const Graph& graph, NodeId id) {
  const Node& node = graph.node(id);
  return node.name.empty() ? graph.value(node.outputs.front()).name : node.name;
}

// The longest list that is shown whole, such as strides, pads and axes; of a constant's weights only the number is shown.
constexpr std::size_t kShortList = 8;

struct AttributeText {
  template <typename Number>
  std::string operator()(Number number) const {
    char text[32];
    return {text, std::to_chars(text, text + sizeof text, number).ptr};
  }
  std::string operator()(const std::string& text) const { return text; }
  template <typename Number>
  std::string operator()(const std::vector<Number>& list) const {
    std::string text = "[";
    for (std::size_t index = 0; index < std::min(kShortList, list.size()); ++index)
      text += (index == 0 ? "" : ", ") + (*this)(list[index]);
    return text + (list.size() > kShortList ? ", … " + std::to_string(list.size()) + " values]" : "]");
  }
};

std::string detail_of(const Graph& graph, const Node& node) {
  std::string detail = node.name;
  for (const ValueId output : node.outputs) detail += "\n→ " + type_text(graph.type(output));
  for (const auto& [name, value] : node.attributes.values()) detail += "\n" + name + " = " + std::visit(AttributeText(), value);
  return detail;
}

class Viewer {
 public:
  explicit Viewer(const FusedModel& fused_model) : fused_model_(fused_model), graph_(fused_model.fusion.graph) {}

  GraphView view() {
    view_.model = fused_model_.subject.name;
    view_.fusion = std::make_shared<const FusionResult>(fused_model_.fusion);
    add_groups();
    add_nodes();
    add_edges();
    return std::move(view_);
  }

 private:
  void add_groups() {
    for (const FusedOperation& operation : fused_model_.fusion.operations) {
      const int group = static_cast<int>(view_.groups.size());
      view_.groups.push_back({operation.name, std::string(name_of(operation.pattern)), graph_key(operation.graph).hex()});
      for (const NodeId id : operation.nodes) group_of_[id] = group;
    }
    for (const FusionRejected& rejected : fused_model_.fusion.rejected)
      reasons_[{rejected.producer, rejected.consumer}] = rejected.reason;
  }

  void add_nodes() {
    for (std::size_t index = 0; index < graph_.nodes().size(); ++index) {
      const auto id = static_cast<NodeId>(index);
      const Node& node = graph_.node(id);
      if (node.op == Op::kConstant) continue;
      GraphNodeView shown;
      shown.id = graph_.value(node.outputs.front()).name;
      shown.label = node.op == Op::kOpaque ? node.opaque_type : std::string(name_of(node.op));
      shown.detail = detail_of(graph_, node);
      shown.node = id;
      if (auto group = group_of_.find(id); group != group_of_.end()) shown.group = group->second;
      position_[id] = static_cast<int>(view_.nodes.size());
      view_.nodes.push_back(std::move(shown));
    }
  }

  void add_edges() {
    for (const auto& [consumer, to] : position_) {
      for (const ValueId input : graph_.node(consumer).inputs) {
        const auto& producer = graph_.value(input).producer;
        if (!producer || position_.find(*producer) == position_.end()) continue;
        view_.edges.push_back({position_.at(*producer), to, type_text(graph_.type(input)), rejection(*producer, consumer)});
      }
    }
  }

  std::string rejection(NodeId producer, NodeId consumer) const {
    const auto found = reasons_.find({node_name(graph_, producer), node_name(graph_, consumer)});
    return found == reasons_.end() ? std::string() : found->second;
  }

  const FusedModel& fused_model_;
  const Graph& graph_;
  GraphView view_;
  std::map<NodeId, int> group_of_;
  std::map<NodeId, int> position_;
  std::map<std::pair<std::string, std::string>, std::string> reasons_;
};

}  // namespace

GraphView view_graph(const FusedModel& fused_model) {
  return Viewer(fused_model).view();
}

std::vector<std::string> changes_of(const GraphView& view) {
  if (view.fusion == nullptr) return {};
  const ImportCounts& imported = view.fusion->imported;
  std::vector<std::string> changes = fold_sentences(imported, imported.fold_notes.size());
  if (imported.loops > 0) changes.push_back(counted(imported.loops, "loop") + " written out, " + counted(imported.trips, "trip"));
  return changes;
}

std::size_t distinct_pieces(const GraphView& view) {
  std::set<std::string> keys;
  for (const GraphGroupView& group : view.groups) keys.insert(group.piece_key);
  return keys.size();
}

std::string why_apart(const GraphView& view, int first, int second) {
  if (view.fusion == nullptr || first == second) return "";
  const auto node = [&](int index) { return view.nodes.at(static_cast<std::size_t>(index)).node; };
  const auto answer = why_not_fused(*view.fusion, node(first), node(second));
  return answer.ok() ? answer.value().text : answer.error().message;
}

}  // namespace fuselab::engine
