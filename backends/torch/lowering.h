// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "backends/torch/torch_plan.h"
#include "core/base/result.h"
#include "core/graph/graph.h"

namespace fuselab::torch {

// Turns a concrete graph into calls. Rows of the families below use it, one node at a time.
class Lowering {
 public:
  explicit Lowering(const Graph& graph) : graph_(graph) {}
  Result<TorchPlan> run();

  const Graph& graph() const { return graph_; }
  const PlanTensor& tensor(int number) const { return plan_.tensors[static_cast<std::size_t>(number)]; }
  const Extents& extents(int number) const { return tensor(number).extents; }
  // The tensor that an operand is.
  int in(const Node& node, std::size_t operand) const { return known_.at(node.inputs[operand]); }
  // The tensor that a result is written into: an output of the graph where it is one.
  int out(const Node& node, std::size_t result = 0);
  // States that a result is this tensor, which something else wrote.
  void set(const Node& node, std::size_t result, int number) { known_[node.outputs[result]] = number; }
  bool is_known(ValueId value) const { return known_.contains(value); }
  int known(ValueId value) const { return known_.at(value); }
  // The node has been computed together with another one.
  void skip(const Node& node) { skipped_.insert(&node); }

  int kept(DType dtype, const Extents& extents);               // row-major memory of the plan's
  int number(DType dtype, double value, const Extents& = {});  // of one element
  int view(int of, Extents extents, Extents strides, std::int64_t offset = 0);
  // The same elements under other extents: a view where their strides allow it, else of a copy.
  int reshaped(int number, const Extents& extents);
  int transposed(int number, const Extents& order);
  int broadcast(int number, const Extents& extents);

  void call(const Schema& schema, std::vector<Argument> arguments, int copied_to = -1);
  void copy(int to, int from);

 private:
  int add(PlanTensor tensor);
  Status lower(const Node& node);
  void place_outputs();

  const Graph& graph_;
  TorchPlan plan_;
  std::map<ValueId, int> known_;
  std::set<ValueId> written_;  // outputs of the graph that are computed where they belong
  std::set<const Node*> skipped_;
  std::string covers_;  // the operators of the calls that are made now
};

struct LoweringRow {
  Op op;
  Status (*lower)(Lowering& to, const Node& node);
};
std::span<const LoweringRow> elementwise_rows();
std::span<const LoweringRow> row_rows();
std::span<const LoweringRow> contraction_rows();
std::span<const LoweringRow> window_rows();
std::span<const LoweringRow> movement_rows();

// Counts an axis from the end where it is negative.
inline std::int64_t axis_of(const Node& node, std::int64_t otherwise, std::size_t rank) {
  const std::int64_t axis = node.attributes.integer("axis", otherwise);
  return axis < 0 ? axis + static_cast<std::int64_t>(rank) : axis;
}
Error not_taken(std::string why);

// Returns the operators that a graph may hold: those that have a row.
std::vector<Op> lowered_operators();
// Fails with kUnsupported and the reason where PyTorch has no call for an operator, or one that means something else.
Result<TorchPlan> lower(const Graph& graph);

}  // namespace fuselab::torch
