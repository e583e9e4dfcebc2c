// SPDX-License-Identifier: Apache-2.0
#include "tests/support/graph_builder.h"

#include <stdexcept>

#include "core/graph/graph_text.h"
#include "core/workloads/workload.h"

namespace fuselab::testing {
namespace {

// GoogleTest turns the exception into a failure of the running test and goes on with the next one.
template <typename T>
T required(Result<T> result) {
  if (!result.ok()) throw std::invalid_argument(result.error().message);
  return std::move(result).value();
}

}  // namespace

Graph graph_from(std::string_view text, std::string_view shape) {
  Graph graph = required(parse_graph(text));
  if (shape.empty()) return graph;
  return required(fuselab::bind(graph, required(parse_bindings(shape))));
}

Graph workload_graph(std::string_view name, std::string_view shape, DType dtype) {
  const Workload* workload = required(find_workload(name));
  return required(instantiate(*workload, required(parse_bindings(shape)), dtype));
}

ValueId value_named(const Graph& graph, std::string_view name) {
  for (std::size_t i = 0; i < graph.values().size(); ++i) {
    if (graph.values()[i].name == name) return static_cast<ValueId>(i);
  }
  throw std::invalid_argument("the graph has no value '" + std::string(name) + "': " + named_text(graph));
}

NodeId maker_of(const Graph& graph, std::string_view name) {
  const auto& producer = graph.value(value_named(graph, name)).producer;
  if (!producer) throw std::invalid_argument("'" + std::string(name) + "' is an input: " + named_text(graph));
  return *producer;
}

}  // namespace fuselab::testing
