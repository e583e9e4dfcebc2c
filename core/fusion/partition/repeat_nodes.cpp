// SPDX-License-Identifier: Apache-2.0
#include "core/fusion/partition/repeat_nodes.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace fuselab {
namespace {

class Repeater {
 public:
  Repeater(const Graph& graph, const std::vector<Repetition>& repetitions) : graph_(graph), repetitions_(repetitions) {
    for (const Value& value : graph.values()) names_.insert(value.name);
    for (std::size_t i = 0; i < repetitions.size(); ++i) place_[repetitions[i].node] = i;
  }

  Result<RepeatedGraph> run() {
    for (const ValueId input : graph_.inputs()) {
      const Value& value = graph_.value(input);
      known_[input] = result_.graph.add_input(value.name, value.type, value.origin);
    }
    for (std::size_t i = 0; i < graph_.nodes().size(); ++i) {
      const auto id = static_cast<NodeId>(i);
      FL_TRY(const NodeId copied, add(id, {}));
      const Node& node = graph_.node(id);
      for (std::size_t k = 0; k < node.outputs.size(); ++k) known_[node.outputs[k]] = result_.graph.node(copied).outputs[k];
      if (const auto found = place_.find(id); found != place_.end()) FL_TRY_VOID(add_copies(found->second));
    }
    for (const ValueId output : graph_.outputs()) result_.graph.add_output(known_.at(output));
    return std::move(result_);
  }

 private:
  Status add_copies(std::size_t place) {
    const Repetition& repetition = repetitions_[place];
    const ValueId made = graph_.node(repetition.node).outputs.front();
    for (const std::vector<NodeId>& readers : repetition.readers) {
      FL_TRY(const NodeId copy, add(repetition.node, fresh(graph_.value(made).name)));
      for (const NodeId reader : readers) instead_[{reader, made}] = result_.graph.node(copy).outputs.front();
    }
    return Status();
  }

  Result<NodeId> add(NodeId id, const std::string& name) {
    const Node& node = graph_.node(id);
    std::vector<ValueId> inputs;
    for (const ValueId input : node.inputs) {
      const auto own = instead_.find({id, input});
      inputs.push_back(own == instead_.end() ? known_.at(input) : own->second);
    }
    std::vector<std::string> names;
    std::vector<TensorType> types;
    for (const ValueId output : node.outputs) {
      names.push_back(name.empty() ? graph_.value(output).name : name);
      types.push_back(graph_.type(output));
    }
    NodeId added{};
    if (node.op == Op::kOpaque) {
      added = result_.graph.add_opaque(node.opaque_type, std::move(inputs), std::move(types), std::move(names));
    } else {
      FL_TRY(added, result_.graph.add_node(node.op, std::move(inputs), node.attributes, std::move(names)));
    }
    result_.graph.node(added).name = name.empty() || node.name.empty() ? node.name : node.name + "_again";
    result_.graph.node(added).annotation = node.annotation;
    result_.origins.push_back(id);
    return added;
  }

  std::string fresh(const std::string& name) {
    if (name.empty()) return "again";
    std::string wish = name + "_again";
    // Names are only added, so those that were taken before stay so: a value may have as many copies as a model has nodes.
    int& tried = tried_.emplace(name, 1).first->second;
    while (!names_.insert(wish).second) wish = name + "_again" + std::to_string(++tried);
    return wish;
  }

  const Graph& graph_;
  const std::vector<Repetition>& repetitions_;
  std::set<std::string> names_;
  std::map<std::string, int> tried_;  // by name: the last number that was put behind it
  std::map<NodeId, std::size_t> place_;
  std::map<ValueId, ValueId> known_;
  std::map<std::pair<NodeId, ValueId>, ValueId> instead_;  // what a reader reads: its own copy
  RepeatedGraph result_;
};

}  // namespace

Result<RepeatedGraph> repeat_nodes(const Graph& graph, const std::vector<Repetition>& repetitions) {
  return Repeater(graph, repetitions).run();
}

}  // namespace fuselab
