// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/graph/graph.h"

namespace fuselab {

// An index of the readers of each value, computed once: Graph::consumers() walks the whole graph for one answer. Nodes that reach
// no output of the graph are ignored: they do not count as readers and belong to no group.
// Borrows the graph, which must outlive it and stay unchanged.
class GraphIndex {
 public:
  explicit GraphIndex(const Graph& graph);

  const Graph& graph() const { return *graph_; }
  std::size_t size() const { return graph_->nodes().size(); }
  const Node& node(NodeId id) const { return graph_->node(id); }
  const TensorType& type(ValueId id) const { return graph_->type(id); }
  // Returns true for a node that computes something that an output needs.
  bool is_compute(NodeId id) const { return live_[static_cast<std::size_t>(id)] && node(id).op != Op::kConstant; }
  // Returns the type of a node's first output, which is its iteration space.
  const TensorType& out_type(NodeId id) const { return type(node(id).outputs.front()); }

  // Returns the nodes that read a value, ascending, each once.
  std::span<const NodeId> readers(ValueId id) const { return readers_[static_cast<std::size_t>(id)]; }
  bool is_output(ValueId id) const { return is_output_[static_cast<std::size_t>(id)]; }
  // Returns the only node that reads a value; nothing when several do or the value is an output of the graph.
  std::optional<NodeId> sole_reader(ValueId id) const;
  // Returns the node that makes a value; nothing for inputs, params and constants.
  std::optional<NodeId> maker(ValueId id) const;
  // Return the compute nodes that make the values a node reads, and those that read the values it makes; ascending, each once.
  std::span<const NodeId> producers(NodeId id) const { return producers_[static_cast<std::size_t>(id)]; }
  std::span<const NodeId> consumers(NodeId id) const { return consumers_[static_cast<std::size_t>(id)]; }

  bool is_constant(ValueId id) const;
  // Returns the number of a scalar Constant.
  std::optional<double> constant(ValueId id) const;

 private:
  void find_live();

  const Graph* graph_;
  std::vector<bool> live_;                      // by node
  std::vector<std::vector<NodeId>> readers_;    // by value
  std::vector<bool> is_output_;                 // by value
  std::vector<std::vector<NodeId>> producers_;  // by node
  std::vector<std::vector<NodeId>> consumers_;  // by node
};

inline std::size_t index_of(NodeId id) {
  return static_cast<std::size_t>(id);
}

}  // namespace fuselab
