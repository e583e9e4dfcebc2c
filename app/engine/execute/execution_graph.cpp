// SPDX-License-Identifier: Apache-2.0
#include "app/engine/execute/execution_graph.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "core/graph/graph_text.h"

namespace fuselab::engine {
namespace {

// Follows both graphs back from the outputs, operand by operand, to find the value of the whole graph for each input of the piece.
class Matching {
 public:
  Matching(const Graph& whole, const Graph& piece) : whole_(whole), piece_(piece), found_(piece.values().size()) {}

  Status match(ValueId whole, ValueId piece) {
    std::vector<std::pair<ValueId, ValueId>> left{{whole, piece}};
    while (!left.empty()) {
      const auto [outer, inner] = left.back();
      left.pop_back();
      auto& known = found_[index_of(inner)];
      if (known && *known != outer) return misfit();
      if (known) continue;
      known = outer;
      const auto& producer = piece_.value(inner).producer;
      if (!producer) continue;
      const auto& outer_producer = whole_.value(outer).producer;
      if (!outer_producer) return misfit();
      const Node& here = piece_.node(*producer);
      const Node& there = whole_.node(*outer_producer);
      if (here.op != there.op || here.inputs.size() != there.inputs.size()) return misfit();
      for (std::size_t i = 0; i < here.inputs.size(); ++i) left.emplace_back(there.inputs[i], here.inputs[i]);
    }
    return {};
  }

  Result<std::vector<ValueId>> inputs() const {
    std::vector<ValueId> values;
    for (const ValueId input : piece_.inputs()) {
      if (!found_[index_of(input)]) return misfit();
      values.push_back(*found_[index_of(input)]);
    }
    return values;
  }

 private:
  static Error misfit() { return {ErrorCode::kInternal, "a piece does not fit the graph that it was cut from"}; }

  const Graph& whole_;
  const Graph& piece_;
  std::vector<std::optional<ValueId>> found_;
};

// Returns the values that these nodes compute for others, in order of production, as extract() gives them.
std::vector<ValueId> outputs_of(const Graph& whole, const std::vector<NodeId>& nodes) {
  const std::set<NodeId> group(nodes.begin(), nodes.end());
  std::vector<ValueId> outputs;
  for (const NodeId id : group) {
    for (const ValueId output : whole.node(id).outputs) {
      if (whole.node(id).op == Op::kConstant && !whole.is_output(output)) continue;
      const std::vector<NodeId> readers = whole.consumers(output);
      const bool outside = std::any_of(readers.begin(), readers.end(), [&](NodeId reader) { return group.count(reader) == 0; });
      if (outside || whole.is_output(output)) outputs.push_back(output);
    }
  }
  return outputs;
}

// Returns the value that holds the same bytes: goes back through views that no piece runs.
ValueId source_of(const Graph& whole, const std::set<NodeId>& run, ValueId value) {
  for (auto producer = whole.value(value).producer; producer && run.count(*producer) == 0 && is_view(whole.node(*producer).op);
       producer = whole.value(value).producer)
    value = whole.node(*producer).inputs.front();
  return value;
}

Result<PieceUse> use_of(const Graph& whole, const FusedOperation& operation, const Piece& piece, std::size_t index) {
  PieceUse use;
  use.piece = index;
  use.name = operation.name;
  use.outputs = outputs_of(whole, operation.nodes);
  const Graph& graph = piece.operation.graph;
  if (use.outputs.size() != graph.outputs().size())
    return Error{ErrorCode::kInternal, "piece '" + operation.name + "' has other outputs than the graph that it was cut from"};
  Matching matching(whole, graph);
  for (std::size_t i = 0; i < use.outputs.size(); ++i) FL_TRY_VOID(matching.match(use.outputs[i], graph.outputs()[i]));
  FL_TRY(use.inputs, matching.inputs());
  return use;
}

Status check_made(const ExecutionGraph& graph) {
  std::set<ValueId> made(graph.whole().inputs().begin(), graph.whole().inputs().end());
  const auto missing = [&](ValueId value) {
    return Error{ErrorCode::kUnsupported, "nothing computes value '" + graph.whole().value(value).name + "'"};
  };
  for (const PieceUse& use : graph.uses) {
    for (const ValueId input : use.inputs) {
      if (made.count(input) == 0) return missing(input);
    }
    made.insert(use.outputs.begin(), use.outputs.end());
  }
  for (const ValueId output : graph.outputs) {
    if (made.count(output) == 0) return missing(output);
  }
  return {};
}

}  // namespace

Result<ExecutionGraph> execution_graph(FusedModel fused_model) {
  ExecutionGraph graph;
  graph.fused_model = std::move(fused_model);
  const Graph& whole = graph.whole();
  std::map<std::string, std::size_t> by_id;
  for (std::size_t i = 0; i < graph.fused_model.pieces.size(); ++i) by_id[graph.fused_model.pieces[i].operation.id] = i;
  std::set<NodeId> run;
  for (const FusedOperation& operation : graph.fused_model.fusion.operations) {
    const auto found = by_id.find(operation.id);
    if (found == by_id.end()) return Error{ErrorCode::kInternal, "piece '" + operation.name + "' is not known"};
    const Piece& piece = graph.fused_model.pieces[found->second];
    if (operation.pattern == FusionPatternType::kOpaque)
      return Error{ErrorCode::kUnsupported, "'" + operation.name + "' cannot be run: " + piece.not_measured};
    if (!piece.not_measured.empty()) continue;
    FL_TRY(PieceUse use, use_of(whole, operation, piece, found->second));
    graph.uses.push_back(std::move(use));
    run.insert(operation.nodes.begin(), operation.nodes.end());
  }
  for (PieceUse& use : graph.uses) {
    for (ValueId& input : use.inputs) input = source_of(whole, run, input);
  }
  graph.inputs = whole.inputs();
  for (const ValueId output : whole.outputs()) graph.outputs.push_back(source_of(whole, run, output));
  FL_TRY_VOID(check_made(graph));
  return graph;
}

}  // namespace fuselab::engine
