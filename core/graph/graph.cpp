// SPDX-License-Identifier: Apache-2.0
#include "core/graph/graph.h"

#include <algorithm>
#include <set>

#include "core/ops/infer.h"

namespace fuselab {
namespace {

// "node '/layer.0/Add': …", or the operator alone where a node has no name (infer's text begins with it).
Error at_node(const Node& node, const Error& error) {
  return node.name.empty() ? error : error.within("node '" + node.name + "'");
}

}  // namespace

ValueId Graph::add_value(Value value) {
  if (value.name.empty()) value.name = "v" + std::to_string(values_.size());
  values_.push_back(std::move(value));
  return static_cast<ValueId>(values_.size() - 1);
}

ValueId Graph::add_input(std::string name, TensorType type, ValueOrigin origin) {
  FL_ASSERT(origin != ValueOrigin::kNode);
  const ValueId id = add_value({std::move(name), std::move(type), origin, std::nullopt});
  inputs_.push_back(id);
  return id;
}

NodeId Graph::append(Node node, std::vector<TensorType> types, std::vector<std::string> names) {
  names.resize(types.size());
  const auto id = static_cast<NodeId>(nodes_.size());
  for (std::size_t i = 0; i < types.size(); ++i) {
    node.outputs.push_back(add_value({std::move(names[i]), std::move(types[i]), ValueOrigin::kNode, id}));
  }
  nodes_.push_back(std::move(node));
  return id;
}

Result<NodeId> Graph::add_node(Op op, std::vector<ValueId> inputs, Attributes attributes, std::vector<std::string> output_names) {
  std::vector<TensorType> input_types;
  input_types.reserve(inputs.size());
  for (const ValueId id : inputs) input_types.push_back(type(id));
  FL_TRY(std::vector<TensorType> types, infer_types(op, input_types, attributes));
  if (!output_names.empty() && output_names.size() != types.size()) {
    return invalid_argument(std::string(name_of(op)) + " has " + std::to_string(types.size()) + " outputs, but " +
                            std::to_string(output_names.size()) + " names are given");
  }
  return append({op, std::move(inputs), {}, std::move(attributes), {}, {}}, std::move(types), std::move(output_names));
}

NodeId Graph::add_opaque(std::string op_type, std::vector<ValueId> inputs, std::vector<TensorType> outputs,
                         std::vector<std::string> output_names) {
  for ([[maybe_unused]] const ValueId id : inputs) FL_ASSERT(index_of(id) < values_.size());
  return append({Op::kOpaque, std::move(inputs), {}, {}, {}, std::move(op_type)}, std::move(outputs), std::move(output_names));
}

void Graph::rewind(const Mark& mark) {
  FL_ASSERT(mark.values <= values_.size() && mark.nodes <= nodes_.size() && mark.inputs <= inputs_.size());
  values_.erase(values_.begin() + static_cast<std::ptrdiff_t>(mark.values), values_.end());
  nodes_.erase(nodes_.begin() + static_cast<std::ptrdiff_t>(mark.nodes), nodes_.end());
  inputs_.erase(inputs_.begin() + static_cast<std::ptrdiff_t>(mark.inputs), inputs_.end());
}

std::vector<NodeId> Graph::consumers(ValueId id) const {
  std::vector<NodeId> readers;
  for (std::size_t n = 0; n < nodes_.size(); ++n) {
    const auto& read = nodes_[n].inputs;
    if (std::find(read.begin(), read.end(), id) != read.end()) readers.push_back(static_cast<NodeId>(n));
  }
  return readers;
}

bool Graph::is_output(ValueId id) const {
  return std::find(outputs_.begin(), outputs_.end(), id) != outputs_.end();
}

std::vector<std::string> Graph::symbols() const {
  std::set<std::string> names;
  for (const Value& value : values_) {
    for (const Dim& dim : value.type.shape) {
      add_symbols(dim, names);
    }
  }
  return {names.begin(), names.end()};
}

namespace {

// "batch, seq": a model of a stranger may have a great many.
std::string listed(const std::vector<std::string>& names, std::string_view between, std::string_view after) {
  constexpr std::size_t kMost = 16;
  std::string text;
  for (std::size_t i = 0; i < std::min(kMost, names.size()); ++i) text.append(i == 0 ? "" : between).append(names[i]).append(after);
  if (names.size() > kMost) text.append(between).append("… (" + std::to_string(names.size()) + " in all)");
  return text;
}

Status check_none_missing(const std::vector<std::string>& symbols, const Bindings& bindings) {
  std::vector<std::string> missing;
  for (const std::string& name : symbols) {
    if (bindings.count(name) == 0) missing.push_back(name);
  }
  if (!missing.empty()) {
    return invalid_argument("the shape needs a value for " + listed(missing, ", ", "") + ": --shape " + listed(missing, ",", "=…"));
  }
  return {};
}

Status check_names_and_extents(const std::vector<std::string>& symbols, const Bindings& bindings) {
  for (const auto& [name, extent] : bindings) {
    if (std::binary_search(symbols.begin(), symbols.end(), name)) continue;
    return invalid_argument("'" + name + "' is no symbol of this graph; " +
                            (symbols.empty() ? "it has none" : "it has " + listed(symbols, ", ", "")));
  }
  for (const auto& [name, extent] : bindings) {
    if (extent < 1) return invalid_argument("the extent of '" + name + "' must be 1 or more");
  }
  return Status();
}

Result<TensorType> bound(TensorType type, const Bindings& bindings) {
  for (Dim& dim : type.shape) {
    FL_TRY(dim, fuselab::bound(dim, bindings));
  }
  return type;
}

}  // namespace

Result<Graph> bind(const Graph& graph, const Bindings& bindings) {
  FL_TRY_VOID(check_none_missing(graph.symbols(), bindings));
  return bind_given(graph, bindings);
}

Result<Graph> bind_given(const Graph& graph, const Bindings& bindings) {
  FL_TRY_VOID(check_names_and_extents(graph.symbols(), bindings));
  return retype(graph, [&](const Value& value) { return bound(value.type, bindings); });
}

Result<Graph> retype(const Graph& graph, const std::function<Result<TensorType>(const Value&)>& type_of_leaf) {
  Graph result;
  std::vector<ValueId> mapped(graph.values().size());
  for (const ValueId id : graph.inputs()) {
    const Value& value = graph.value(id);
    FL_TRY(TensorType type, type_of_leaf(value));
    mapped[index_of(id)] = result.add_input(value.name, std::move(type), value.origin);
  }
  for (const Node& node : graph.nodes()) {
    std::vector<ValueId> inputs;
    for (const ValueId id : node.inputs) inputs.push_back(mapped[index_of(id)]);
    std::vector<std::string> names;
    std::vector<TensorType> opaque_types;
    for (const ValueId id : node.outputs) {
      names.push_back(graph.value(id).name);
      if (node.op != Op::kOpaque) continue;
      FL_TRY(TensorType type, type_of_leaf(graph.value(id)));
      opaque_types.push_back(std::move(type));
    }
    NodeId added{};
    if (node.op == Op::kOpaque) {
      added = result.add_opaque(node.opaque_type, std::move(inputs), std::move(opaque_types), std::move(names));
      result.node(added).attributes = node.attributes;
    } else {
      auto made = result.add_node(node.op, std::move(inputs), node.attributes, std::move(names));
      if (!made.ok()) return at_node(node, made.error());
      added = made.value();
    }
    result.node(added).name = node.name;
    result.node(added).annotation = node.annotation;
    for (std::size_t i = 0; i < node.outputs.size(); ++i) mapped[index_of(node.outputs[i])] = result.node(added).outputs[i];
  }
  for (const ValueId id : graph.outputs()) result.add_output(mapped[index_of(id)]);
  return result;
}

}  // namespace fuselab
