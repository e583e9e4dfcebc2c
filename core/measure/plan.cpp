// SPDX-License-Identifier: Apache-2.0
#include "core/measure/plan.h"

#include <algorithm>
#include <set>

namespace fuselab {
namespace {

constexpr int kUnplaced = -1;

// Holds what one kernel reads and makes, as values of the whole graph, in the order extract() gives its sub-graph.
struct Boundary {
  std::vector<ValueId> inputs;
  std::vector<ValueId> outputs;
};

bool is_constant(const Graph& graph, ValueId value) {
  const auto& producer = graph.value(value).producer;
  return producer.has_value() && graph.node(*producer).op == Op::kConstant;
}

Boundary boundary_of(const Graph& whole, const std::set<NodeId>& group) {
  Boundary boundary;
  for (const NodeId id : group) {  // a set: ascending, which is the graph's topological order
    const Node& node = whole.node(id);
    for (const ValueId input : node.inputs) {
      const auto& producer = whole.value(input).producer;
      const bool inside = producer.has_value() && group.count(*producer) != 0;
      const bool seen = std::find(boundary.inputs.begin(), boundary.inputs.end(), input) != boundary.inputs.end();
      if (!inside && !seen && !is_constant(whole, input)) boundary.inputs.push_back(input);
    }
    for (const ValueId output : node.outputs) {
      const std::vector<NodeId> readers = whole.consumers(output);
      const bool read_outside =
          std::any_of(readers.begin(), readers.end(), [&](NodeId reader) { return group.count(reader) == 0; });
      // Each reader of a constant has a copy of it.
      if ((read_outside && node.op != Op::kConstant) || whole.is_output(output)) boundary.outputs.push_back(output);
    }
  }
  return boundary;
}

// Builds one plan: gives each value of the whole graph that crosses a kernel's boundary its place among Plan::values.
class PlanBuilder {
 public:
  PlanBuilder(const Graph& whole, const std::vector<std::vector<NodeId>>& groups)
      : whole_(whole), groups_(groups), place_(whole.values().size(), kUnplaced), made_(whole.values().size(), false) {}

  Status place_inputs_and_outputs() {
    for (const ValueId input : whole_.inputs()) place(input);
    for (const ValueId input : whole_.inputs()) made_[index_of(input)] = true;
    for (const ValueId output : whole_.outputs()) {
      if (place_[index_of(output)] != kUnplaced) {
        return invalid_argument("output '" + whole_.value(output).name +
                                "' is an input or is given twice; a plan has nothing to run for it");
      }
      place(output);
    }
    for (const auto& group : groups_) covered_.insert(group.begin(), group.end());
    return alias_outputs_through_views();
  }

  Result<PlanStep> step(std::size_t index, CompiledKernel kernel) {
    for (const NodeId id : groups_[index]) {
      if (static_cast<std::size_t>(id) >= whole_.nodes().size()) return invalid_argument("a node group names no node of the graph");
    }
    const Boundary boundary = boundary_of(whole_, std::set<NodeId>(groups_[index].begin(), groups_[index].end()));
    PlanStep step;
    for (const ValueId input : boundary.inputs) {
      FL_TRY(int source, place_of_input(input));
      step.arguments.push_back(source);
    }
    for (const ValueId output : boundary.outputs) {
      if (made_[index_of(output)]) return invalid_argument("value '" + whole_.value(output).name + "' is made by two kernels");
      made_[index_of(output)] = true;
      if (place_[index_of(output)] == kUnplaced) place(output);
      step.arguments.push_back(place_[index_of(output)]);
    }
    FL_TRY_VOID(check_arguments(kernel, step.arguments));
    step.kernel = std::move(kernel);
    return step;
  }

  Status check_outputs_made() const {
    for (const ValueId output : whole_.outputs()) {
      ValueId source = output;
      while (!made_[index_of(source)] && view_source(source).has_value()) source = *view_source(source);
      if (!made_[index_of(source)])
        return invalid_argument("no kernel of the plan makes output '" + whole_.value(output).name + "'");
    }
    return {};
  }

  std::vector<TensorType> take_values() { return std::move(values_); }

 private:
  void place(ValueId value) {
    place_[index_of(value)] = static_cast<int>(values_.size());
    values_.push_back(whole_.type(value));
  }

  // The value that an uncovered view renames: such a node has no kernel, its bytes are its input's.
  std::optional<ValueId> view_source(ValueId value) const {
    const auto& producer = whole_.value(value).producer;
    if (!producer.has_value() || covered_.count(*producer) != 0 || !is_view(whole_.node(*producer).op)) return std::nullopt;
    return whole_.node(*producer).inputs.front();
  }

  // An output that is only a view of an intermediate: the intermediate is made directly in the output's place.
  Status alias_outputs_through_views() {
    for (const ValueId output : whole_.outputs()) {
      ValueId value = output;
      while (const auto source = view_source(value)) {
        if (place_[index_of(*source)] != kUnplaced) {
          return invalid_argument("output '" + whole_.value(output).name + "' is a view of '" + whole_.value(*source).name +
                                  "', which has its own buffer; give the view a kernel");
        }
        place_[index_of(*source)] = place_[index_of(output)];
        value = *source;
      }
    }
    return {};
  }

  Result<int> place_of_input(ValueId input) const {
    ValueId value = input;
    while (!made_[index_of(value)]) {
      const auto source = view_source(value);
      if (!source.has_value()) {
        return invalid_argument("value '" + whole_.value(input).name + "' is read before any kernel of the plan makes it");
      }
      value = *source;
    }
    return place_[index_of(value)];
  }

  Status check_arguments(const CompiledKernel& kernel, const std::vector<int>& arguments) const {
    std::vector<const KernelArgument*> bound;
    for (const KernelArgument& argument : kernel.abi.arguments) {
      if (argument.role != BufferRole::kScratch) bound.push_back(&argument);
    }
    if (bound.size() != arguments.size()) {
      return Error{ErrorCode::kInternal, "kernel '" + kernel.abi.entry + "' takes " + std::to_string(bound.size()) +
                                             " tensors, its part of the graph has " + std::to_string(arguments.size())};
    }
    for (std::size_t i = 0; i < bound.size(); ++i) {
      const TensorType& planned = values_[static_cast<std::size_t>(arguments[i])];
      const TensorType& wanted = bound[i]->type;
      if (!is_concrete(wanted.shape) || !is_concrete(planned.shape)) continue;  // a kernel may be generic over a symbol
      FL_TRY(std::int64_t wanted_elements, element_count(wanted.shape));
      FL_TRY(std::int64_t planned_elements, element_count(planned.shape));
      if (wanted.dtype != planned.dtype || wanted_elements != planned_elements) {
        return Error{ErrorCode::kInternal, "kernel '" + kernel.abi.entry + "' takes " + type_text(wanted) + " as argument " +
                                               std::to_string(i) + ", the plan has " + type_text(planned)};
      }
    }
    return {};
  }

  const Graph& whole_;
  const std::vector<std::vector<NodeId>>& groups_;
  std::vector<int> place_;  // per value of the whole graph
  std::vector<bool> made_;
  std::set<NodeId> covered_;
  std::vector<TensorType> values_;
};

}  // namespace

Result<Plan> make_plan(std::string label, const Graph& whole, const std::vector<std::vector<NodeId>>& node_groups,
                       std::vector<CompiledKernel> kernels) {
  if (node_groups.size() != kernels.size()) {
    return invalid_argument("plan '" + label + "': " + std::to_string(node_groups.size()) + " node groups but " +
                            std::to_string(kernels.size()) + " kernels");
  }
  PlanBuilder builder(whole, node_groups);
  if (auto status = builder.place_inputs_and_outputs(); !status.ok()) return status.error().within("plan '" + label + "'");
  Plan plan;
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    auto step = builder.step(i, std::move(kernels[i]));
    if (!step.ok()) return step.error().within("plan '" + label + "', kernel " + std::to_string(i));
    plan.steps.push_back(std::move(step).value());
  }
  if (auto status = builder.check_outputs_made(); !status.ok()) return status.error().within("plan '" + label + "'");
  plan.label = std::move(label);
  plan.graph = whole;
  plan.values = builder.take_values();
  return plan;
}

Plan whole_graph_plan(std::string label, const Graph& graph, CompiledKernel kernel) {
  Plan plan;
  plan.label = std::move(label);
  plan.graph = graph;
  for (const ValueId input : graph.inputs()) plan.values.push_back(graph.type(input));
  for (const ValueId output : graph.outputs()) plan.values.push_back(graph.type(output));
  PlanStep step;
  step.kernel = std::move(kernel);
  for (std::size_t index = 0; index < plan.values.size(); ++index) step.arguments.push_back(static_cast<int>(index));
  plan.steps.push_back(std::move(step));
  return plan;
}

Drawbacks stated_drawbacks(const Plan& plan) {
  Drawbacks found;
  for (const PlanStep& step : plan.steps) found = found | drawbacks_of(step.kernel.config);
  return found;
}

}  // namespace fuselab
