// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <utility>
#include <vector>

#include "backends/codegen/rows/row_program.h"

namespace fuselab::codegen {

// Splits a graph's operators into row primitives. The iteration space is the full shape; a value's last axis lies at its end (tail
// 0) or, for the result of a reduction without keepdims, just before the reduced axes (tail = reduced axes).
class RowBuilder {
 public:
  RowBuilder(const Graph& graph, std::vector<std::int64_t> full, std::size_t reduced_axes, RowCore core);

  // Fails with kUnsupported, naming the operator that does not fit.
  Status build();
  int node_of(ValueId value) const { return placed_.at(value).first; }
  // Returns the value's element strides over the uncollapsed iteration space.
  std::vector<std::int64_t> strides_of(ValueId value) const;
  std::vector<std::int64_t> strides_of_input(int node) const;
  std::vector<RowNode> take_nodes() { return std::move(nodes_); }

 private:
  Status take_apart(const Node& node);
  Status element_wise(const Node& node);
  Status reduction(const Node& node);
  Status view(const Node& node);
  Status softmax(const Node& node, bool logarithm);
  Status layer_normalization(const Node& node);
  Status rms_normalization(const Node& node);
  Status cross_entropy(const Node& node);
  Status batch_normalization(const Node& node);
  Status core(const Node& node);
  Status slice(const Node& node);
  Status split(const Node& node);
  Status concat(const Node& node);
  Status rotary(const Node& node);

  bool fits(ValueId value, std::size_t tail) const;
  // Returns the row node of an operand that must lie at `tail`; kernel inputs are added on first use.
  Result<int> operand(const Node& node, std::size_t index, std::size_t tail);
  std::vector<std::size_t> iteration_axes(ValueId value, std::size_t tail) const;

  int add(RowNode node);
  int constant(double value);
  int map(Op op, std::vector<int> args, std::string name = {});
  int reduce(RowOp op, std::vector<int> args, std::string name);
  int mean(int arg, const std::string& name);
  Status finish(const Node& node, std::size_t output, int row_node, std::size_t tail);

  const Graph& graph_;
  std::vector<std::int64_t> full_;
  std::size_t reduced_;
  RowCore core_;
  bool has_pieces_ = false;                                 // an operator cuts the row: values may be narrower than the row
  std::map<int, std::vector<std::int64_t>> input_strides_;  // only those that differ from the strides of a dense tensor at its tail
  std::map<ValueId, std::vector<std::int64_t>> value_strides_;  // the same for results
  int core_total_ = -1;                                         // row node of the core's result
  std::int64_t cols_ = 1;
  std::vector<RowNode> nodes_;
  std::map<ValueId, ValueId> input_views_;                 // regrouped kernel inputs: read like inputs of their own shape
  std::map<ValueId, ValueId> same_memory_;                 // results that only regroup the axes of another value
  std::map<ValueId, std::pair<int, std::size_t>> placed_;  // computed values: row node and tail
  std::map<std::pair<ValueId, std::size_t>, int> inputs_;  // kernel inputs by tail
};

// Returns true when the graph cuts or joins rows: Slice and Concat along the last axis, RotaryEmbedding.
bool cuts_rows(const Graph& graph);

Error unsupported(const Node& node, const std::string& why);

}  // namespace fuselab::codegen
