// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "core/fusion/partition/fusion_engine.h"
#include "core/graph/graph_text.h"

namespace fuselab::testing {

inline Graph graph_of(std::string_view text) {
  auto graph = parse_graph(text);
  EXPECT_TRUE(graph.ok()) << (graph.ok() ? "" : graph.error().message);
  return graph.ok() ? std::move(graph).value() : Graph();
}

inline FusionResult fused(const Graph& graph, const FusionOptions& options = {}) {
  auto result = fuse(graph, options);
  EXPECT_TRUE(result.ok()) << (result.ok() ? "" : result.error().message);
  return result.ok() ? std::move(result).value() : FusionResult();
}

inline FusionResult fused(std::string_view text, const FusionOptions& options = {}) {
  return fused(graph_of(text), options);
}

// "Add+Mul Relu": the operators of the groups, in order, constants left out.
inline std::string groups_of(const FusionResult& result) {
  std::string text;
  for (const auto& operation : result.operations) {
    text += text.empty() ? "" : " ";
    std::string names;
    for (NodeId id : operation.nodes) names += (names.empty() ? "" : "+") + std::string(name_of(result.graph.node(id).op));
    text += names;
  }
  return text;
}

// The reason why two operators stayed apart; empty when no such pair was rejected.
inline std::string reason_between(const FusionResult& result, std::string_view producer, std::string_view consumer) {
  for (const auto& rejected : result.rejected) {
    if (rejected.producer == producer && rejected.consumer == consumer) return rejected.reason;
  }
  return {};
}

}  // namespace fuselab::testing
