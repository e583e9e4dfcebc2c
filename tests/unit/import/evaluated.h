// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "core/reference/reference.h"
#include "model_maker.h"

namespace fuselab::testing {

// What the only output of a model is for these inputs and weights, in the graph's order. Nothing, and a failed test, where
// something of it is a barrier.
inline std::vector<double> evaluated(const ImportedModel& model, const std::vector<std::vector<double>>& inputs) {
  EXPECT_EQ(model.opaque_nodes, 0) << (model.notes.empty() ? "" : model.notes.front());
  EXPECT_EQ(model.graph.inputs().size(), inputs.size());
  if (model.opaque_nodes != 0 || model.graph.inputs().size() != inputs.size()) return {};
  std::vector<RealTensor> tensors;
  for (std::size_t i = 0; i < inputs.size(); ++i) tensors.push_back({model.graph.type(model.graph.inputs()[i]), inputs[i]});
  const auto results = evaluate_reference(model.graph, tensors);
  EXPECT_TRUE(results.ok()) << (results.ok() ? "" : results.error().message);
  return results.ok() ? results.value().front().data : std::vector<double>();
}

inline std::vector<double> evaluated(const ModelMaker& maker, const std::vector<std::vector<double>>& inputs) {
  return evaluated(imported(maker), inputs);
}

inline void expect_close(const std::vector<double>& actual, const std::vector<double>& expected, double relative = 1e-9) {
  ASSERT_EQ(actual.size(), expected.size());
  for (std::size_t i = 0; i < actual.size(); ++i) {
    if (actual[i] == expected[i]) continue;  // infinities
    EXPECT_NEAR(actual[i], expected[i], relative * std::abs(expected[i]) + 1e-300) << "at " << i;
  }
}

// Why the only node is a barrier, and nothing else is in the graph; "" when it is none.
inline std::string barrier_of(const ModelMaker& maker) {
  const auto model = imported(maker);
  if (model.barriers.empty()) return "";
  EXPECT_EQ(model.graph.nodes().size(), 1u);
  return model.barriers.begin()->second;
}

// Numbers of a made-up tensor: none of them equal, some negative.
inline std::vector<double> some_numbers(std::size_t count) {
  std::vector<double> numbers;
  for (std::size_t i = 0; i < count; ++i) numbers.push_back(0.25 * static_cast<double>((i * 7) % count) - 1.0);
  return numbers;
}

}  // namespace fuselab::testing
