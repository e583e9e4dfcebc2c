// SPDX-License-Identifier: Apache-2.0
#include "core/cost/cost.h"

#include <algorithm>

#include "core/ops/flops.h"
#include "core/ops/own_kernel.h"

namespace fuselab {
namespace {

// Bytes of every value of a concrete graph, and the memory each value really lives in: a view lives in what it views.
class Storage {
 public:
  static Result<Storage> of(const Graph& graph) {
    Storage storage;
    storage.bytes_.reserve(graph.values().size());
    storage.roots_.reserve(graph.values().size());
    for (std::size_t i = 0; i < graph.values().size(); ++i) {
      const Value& value = graph.values()[i];
      FL_TRY(const Bytes size, size_of(value.type));
      storage.bytes_.push_back(size.count);
      storage.roots_.push_back(static_cast<ValueId>(i));
      if (!value.producer) continue;
      const Node& node = graph.node(*value.producer);
      if (is_view(node.op)) storage.roots_.back() = storage.root(node.inputs[0]);
      // A scalar immediate is part of the kernel's text, not of its traffic.
      if (node.op == Op::kConstant) storage.bytes_.back() = 0;
    }
    return storage;
  }

  std::int64_t bytes(ValueId id) const { return bytes_[index_of(id)]; }
  ValueId root(ValueId id) const { return roots_[index_of(id)]; }
  std::size_t size() const { return bytes_.size(); }

 private:
  std::vector<std::int64_t> bytes_;
  std::vector<ValueId> roots_;
};

// Bytes of an operand that its reader needs: Gather takes rows, Slice keeps a part, a rotary embedding with position ids takes one
// row of each table per id; everybody else needs all. A constant seen through a view is still an immediate.
std::int64_t operand_bytes(const Graph& graph, const Storage& storage, const Node& node, std::size_t operand) {
  const ValueId id = node.inputs[operand];
  const std::int64_t all = std::min(storage.bytes(id), storage.bytes(storage.root(id)));
  const bool takes_part =
      node.op == Op::kGather || node.op == Op::kSlice || node.op == Op::kGatherElements || node.op == Op::kGatherND;
  if (operand == 0 && takes_part) return std::min(all, storage.bytes(node.outputs[0]));
  const bool is_table = node.op == Op::kRotaryEmbedding && node.inputs.size() == 4 && (operand == 1 || operand == 2);
  if (!is_table) return all;
  const auto rows = graph.type(id).shape.front().extent();
  const auto ids = element_count(graph.type(node.inputs[3]).shape);
  return ids.ok() && ids.value() < rows ? all / rows * ids.value() : all;
}

bool read_before(const Storage& storage, const Node& node, std::size_t operand) {
  for (std::size_t i = 0; i < operand; ++i) {
    if (storage.root(node.inputs[i]) == storage.root(node.inputs[operand])) return true;
  }
  return false;
}

void add_eager(const Graph& graph, const Storage& storage, const Node& node, Cost& cost) {
  if (is_view(node.op) || node.op == Op::kConstant) return;
  for (std::size_t i = 0; i < node.inputs.size(); ++i) {
    if (!read_before(storage, node, i)) cost.eager_read.count += operand_bytes(graph, storage, node, i);
  }
  for (const ValueId id : node.outputs) cost.eager_written.count += storage.bytes(id);
}

// Returns the bytes of each graph input that must be read: all of it once, or less where all its readers need less.
std::vector<Bytes> compulsory_reads(const Graph& graph, const Storage& storage) {
  std::vector<std::int64_t> wanted(storage.size(), 0);
  for (const Node& node : graph.nodes()) {
    if (is_view(node.op)) continue;
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
      const ValueId root = storage.root(node.inputs[i]);
      std::int64_t& sum = wanted[index_of(root)];
      if (!read_before(storage, node, i)) sum = std::min(storage.bytes(root), sum + operand_bytes(graph, storage, node, i));
    }
  }
  std::vector<Bytes> reads;
  for (const ValueId id : graph.inputs()) reads.push_back({wanted[index_of(id)]});
  return reads;
}

// Compulsory writes: each output has a buffer of its own, also where it is a view of another one; an input handed back is not
// written. Unfused, the view of an output is a copy.
void add_writes(const Graph& graph, const Storage& storage, Cost& cost) {
  std::vector<bool> written(storage.size(), false);   // by value
  std::vector<bool> has_home(storage.size(), false);  // by memory
  for (const ValueId output : graph.outputs()) {
    const ValueId root = storage.root(output);
    if (written[index_of(output)] || graph.value(root).origin != ValueOrigin::kNode) continue;
    written[index_of(output)] = true;
    cost.written.count += storage.bytes(root);
    if (has_home[index_of(root)]) {
      cost.eager_read.count += storage.bytes(root);
      cost.eager_written.count += storage.bytes(root);
    }
    has_home[index_of(root)] = true;
  }
}

// The user may know better what a kernel must move: of a tensor that is read in part, say.
Status state_own_bytes(const Graph& graph, Cost& cost) {
  if (graph.nodes().size() != 1 || graph.nodes().front().op != Op::kOwnKernel) return {};
  FL_TRY(const OwnKernel kernel, own_kernel_of(graph.nodes().front().attributes));
  if (kernel.bytes <= 0) return {};
  const auto stated = static_cast<std::int64_t>(kernel.bytes);
  cost.written.count = std::min(cost.written.count, stated);
  cost.read.count = stated - cost.written.count;
  return {};
}

}  // namespace

Result<std::vector<Bytes>> compulsory_reads(const Graph& graph) {
  FL_TRY(const Storage storage, Storage::of(graph));
  return compulsory_reads(graph, storage);
}

Result<Cost> cost_of(const Graph& graph) {
  FL_TRY(const Storage storage, Storage::of(graph));
  Cost cost;
  for (const Bytes bytes : compulsory_reads(graph, storage)) cost.read.count += bytes.count;
  add_writes(graph, storage, cost);
  for (const Node& node : graph.nodes()) {
    add_eager(graph, storage, node, cost);
    cost.flops += flops_of(graph, node);
  }
  FL_TRY_VOID(state_own_bytes(graph, cost));
  return cost;
}

double flops_of(const Graph& graph, const Node& node) {
  std::vector<TensorType> inputs;
  for (const ValueId input : node.inputs) inputs.push_back(graph.type(input));
  return node.op == Op::kOpaque ? 0 : flops_of(node.op, inputs, graph.type(node.outputs[0]), node.attributes);
}

}  // namespace fuselab
