// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gmock/gmock.h>

#include <string_view>
#include <vector>

#include "core/graph/graph_text.h"
#include "core/reference/reference.h"

namespace fuselab::test {

inline Graph graph_of(std::string_view text) {
  auto graph = parse_graph(text);
  if (!graph.ok()) throw std::runtime_error(graph.error().message);  // a broken test, not a broken product
  return std::move(graph).value();
}

inline std::vector<RealTensor> inputs_of(const Graph& graph, const std::vector<std::vector<double>>& data) {
  std::vector<RealTensor> inputs;
  for (std::size_t i = 0; i < data.size(); ++i) inputs.push_back({graph.type(graph.inputs()[i]), data[i]});
  return inputs;
}

// The first output of a graph given as text.
inline std::vector<double> evaluate(std::string_view text, const std::vector<std::vector<double>>& data, std::size_t output = 0) {
  const Graph graph = graph_of(text);
  const auto outputs = evaluate_reference(graph, inputs_of(graph, data));
  if (!outputs.ok()) throw std::runtime_error(outputs.error().message);
  return outputs.value().at(output).data;
}

inline auto near(const std::vector<double>& expected, double error = 1e-12) {
  return testing::Pointwise(testing::DoubleNear(error), expected);
}

}  // namespace fuselab::test
