// SPDX-License-Identifier: Apache-2.0
#include "core/fusion/explain/why_not.h"

#include <gtest/gtest.h>

#include "core/fusion/partition/fusion_engine.h"
#include "core/graph/graph_text.h"

namespace fuselab {
namespace {

constexpr const char* kGraph =
    "graph(x: f32[8,64], w: param f32[64,64], z: f32[8]) { a = Relu(x); b = Exp(a); m = MatMul(b, w); s = Softmax(m, axis=-1); "
    "n = MatMul(s, w); q = Neg(z); return n, q }";

FusionResult fused() {
  auto graph = parse_graph(kGraph);
  EXPECT_TRUE(graph.ok());
  FusionOptions options;
  options.enable_attention_fusion = false;
  auto result = fuse(graph.value(), options);
  EXPECT_TRUE(result.ok());
  return std::move(result).value();
}

WhyNot answer(const std::string& first, const std::string& second) {
  auto told = why_not_fused(fused(), first, second);
  EXPECT_TRUE(told.ok()) << (told.ok() ? "" : told.error().message);
  return told.ok() ? std::move(told).value() : WhyNot();
}

std::string refusal(const std::string& first, const std::string& second) {
  const auto told = why_not_fused(fused(), first, second);
  return told.ok() ? "" : told.error().message;
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(WhyNot, NeighboursAreToldTheirReason) {
  const WhyNot told = answer("s", "n");
  EXPECT_FALSE(told.fused);
  ASSERT_EQ(told.cuts.size(), 1u);
  EXPECT_TRUE(has(told.text, told.cuts.front().reason)) << told.text;
  EXPECT_TRUE(has(told.text, "'n' reads what 's' makes")) << told.text;
  EXPECT_EQ(answer("n", "s").cuts.front().reason, told.cuts.front().reason);
}

TEST(WhyNot, WhatIsFusedIsSaidToBe) {
  const WhyNot told = answer("a", "b");
  EXPECT_TRUE(told.fused);
  EXPECT_TRUE(has(told.text, "are fused")) << told.text;
}

TEST(WhyNot, ThroughOthersTheCutsOnTheWayAreTold) {
  const WhyNot told = answer("b", "n");
  EXPECT_EQ(told.path, (std::vector<std::string>{"b", "m", "s", "n"}));
  EXPECT_GE(told.cuts.size(), 2u);
  EXPECT_TRUE(has(told.text, "only through 'm', 's'")) << told.text;
  for (const auto& cut : told.cuts) EXPECT_TRUE(has(told.text, cut.reason)) << told.text;
}

TEST(WhyNot, WhatDoesNotFollowEachOtherIsSaidNotTo) {
  const WhyNot told = answer("q", "a");
  EXPECT_TRUE(told.path.empty());
  EXPECT_TRUE(has(told.text, "Neither reads")) << told.text;
}

TEST(WhyNot, UnknownNamesListCandidates) {
  EXPECT_TRUE(has(refusal("a", "nosuch"), "no operator is called 'nosuch'; there are, for instance, a, b, m"));
  EXPECT_TRUE(has(refusal("matmul", "a"), "perhaps m, n")) << refusal("matmul", "a");
  EXPECT_TRUE(has(refusal("a", "a"), "are one operator"));
}

TEST(WhyNot, NamesThatSeveralHaveListWhatTellsThemApart) {
  FusionResult fusion = fused();
  for (std::uint32_t i = 0; i < 2; ++i) fusion.graph.node(NodeId(i)).name = "layer";
  const auto told = why_not_fused(fusion, "layer", "s");
  ASSERT_FALSE(told.ok());
  EXPECT_TRUE(has(told.error().message, "2 operators are called 'layer': name one of a, b")) << told.error().message;
  EXPECT_TRUE(why_not_fused(fusion, "Relu#0", "s").ok());
}

}  // namespace
}  // namespace fuselab
