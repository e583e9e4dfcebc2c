// SPDX-License-Identifier: Apache-2.0
#include "backends/codegen/forms/contraction_prologue.h"

#include <algorithm>
#include <set>

#include "backends/codegen/rows/row_builder.h"
#include "core/cost/memory_of.h"
#include "core/ops/op.h"

namespace fuselab::codegen {
namespace {

using Nodes = std::vector<NodeId>;

bool is_constant(const Graph& graph, ValueId value) {
  const auto& producer = graph.value(value).producer;
  return producer && graph.node(*producer).op == Op::kConstant;
}

// Every operator that a value is made of, ascending.
Nodes made_of(const Graph& graph, ValueId value) {
  std::set<NodeId> found;
  std::vector<ValueId> open{value};
  while (!open.empty()) {
    const ValueId next = open.back();
    open.pop_back();
    const auto& producer = graph.value(next).producer;
    if (!producer || is_constant(graph, next) || !found.insert(*producer).second) continue;
    const auto& inputs = graph.node(*producer).inputs;
    open.insert(open.end(), inputs.begin(), inputs.end());
  }
  return {found.begin(), found.end()};
}

Nodes all_but(const Graph& graph, const Nodes& left_out) {
  Nodes rest;
  for (std::size_t i = 0; i < graph.nodes().size(); ++i) {
    const auto id = static_cast<NodeId>(i);
    if (graph.nodes()[i].op == Op::kConstant || std::binary_search(left_out.begin(), left_out.end(), id)) continue;
    rest.push_back(id);
  }
  return rest;
}

template <typename Range>
int position(const Range& range, ValueId value) {
  return static_cast<int>(std::find(range.begin(), range.end(), value) - range.begin());
}

// Returns where each input of extract(graph, nodes) stands among the graph's inputs: they come in the order of their first use.
std::vector<int> places_of_inputs(const Graph& graph, const Nodes& nodes) {
  std::vector<ValueId> seen;
  std::vector<int> places;
  for (const NodeId id : nodes) {
    for (const ValueId value : graph.node(id).inputs) {
      const auto& producer = graph.value(value).producer;
      const bool inside = producer && std::binary_search(nodes.begin(), nodes.end(), *producer);
      if (inside || is_constant(graph, value) || std::find(seen.begin(), seen.end(), value) != seen.end()) continue;
      seen.push_back(value);
      places.push_back(position(graph.inputs(), value));
    }
  }
  return places;
}

void rename_inputs(RowProgram& program, const std::vector<int>& places) {
  for (RowNode& node : program.nodes) {
    if (node.op == RowOp::kInput && node.input != kCoreInput) node.input = places[static_cast<std::size_t>(node.input)];
  }
}

// extract() lists outputs as they are made.
void order_outputs(const Graph& graph, const Nodes& nodes, RowProgram& program) {
  std::vector<RowOutput> ordered(program.outputs.size());
  std::size_t made = 0;
  for (const NodeId id : nodes) {
    for (const ValueId value : graph.node(id).outputs) {
      if (!graph.is_output(value)) continue;
      const int place = position(graph.outputs(), value);
      ordered[static_cast<std::size_t>(place)] = program.outputs[made++];
      ordered[static_cast<std::size_t>(place)].output = place;
    }
  }
  program.outputs = std::move(ordered);
}

Status check_prologue(const Graph& graph, const Node& core, std::size_t operand, const Nodes& before, const RowProgram& program) {
  for (const NodeId id : before) {
    if (info_of(graph.node(id).op).access == AccessPattern::kReduction)
      return unsupported(graph.node(id), "a reduction before a contraction is not generated yet");
  }
  if (program.outputs.size() != 1 || graph.is_output(core.inputs[operand]))
    return unsupported(core, "an operand that the kernel itself computes and others read, too, is not generated yet");
  if (program.has_reduction || !is_gapless(program, program.outputs.front().access))
    return unsupported(core, "an operand that the kernel itself computes must be computed element by element");
  return Status();
}

// A Conv's image and the matrix of a product with a vector stand on the right.
Side side_of(const Graph& graph, const Node& core, std::size_t operand) {
  const bool vector = core.op == Op::kMatMul && graph.type(core.inputs[1]).shape.size() == 1;
  const bool turned = core.op == Op::kConv || vector;
  return (operand == 0) != turned ? Side::kLeft : Side::kRight;
}

}  // namespace

bool is_computed(const Graph& graph, ValueId value) {
  return graph.value(memory_of(graph, value)).producer.has_value();
}

Result<RowProgram> rows_behind(const Graph& graph, const std::vector<NodeId>& nodes, ValueId core, std::size_t trailing) {
  const Graph rest = extract(graph, nodes);
  // Each node of the rest stands where it did, constants between them.
  const auto before_core = std::count_if(nodes.begin(), nodes.end(), [&](NodeId id) { return id < *graph.value(core).producer; });
  std::ptrdiff_t passed = 0;
  const auto is_core = [&](const Node& node) { return node.op != Op::kConstant && passed++ == before_core; };
  const auto in_rest = std::find_if(rest.nodes().begin(), rest.nodes().end(), is_core);
  FL_TRY(RowProgram program, make_row_program(rest, {&*in_rest, trailing}));
  rename_inputs(program, places_of_inputs(graph, nodes));
  order_outputs(graph, nodes, program);
  return program;
}

Result<ContractionParts> take_apart(const Graph& graph, const Node& core, std::size_t trailing) {
  ContractionParts parts;
  const std::size_t operand = is_computed(graph, core.inputs[0]) ? 0 : 1;
  const Nodes before = made_of(graph, core.inputs[operand]);
  if (!is_computed(graph, core.inputs[operand])) {
    FL_TRY(parts.after, make_row_program(graph, {&core, trailing}));
    return parts;
  }
  const Graph prologue = extract(graph, before);
  FL_TRY(parts.before, make_row_program(prologue));
  FL_TRY_VOID(check_prologue(graph, core, operand, before, *parts.before));
  parts.computed = side_of(graph, core, operand);
  for (const NodeId id : before) parts.operations += op_weight(graph.node(id).op);
  rename_inputs(*parts.before, places_of_inputs(graph, before));
  FL_TRY(parts.after, rows_behind(graph, all_but(graph, before), core.outputs.front(), trailing));
  return parts;
}

}  // namespace fuselab::codegen
