// SPDX-License-Identifier: Apache-2.0
// C26: what somebody wrote about fusing is read, printed, obeyed, and told.
#include "core/fusion/explain/why_not.h"
#include "fusion_test_support.h"

namespace fuselab {
namespace {

using testing::fused;
using testing::graph_of;
using testing::groups_of;
using testing::reason_between;

constexpr const char* kPlain = "graph(x: f32[8,64], w: param f32[64]) { a = Add(x, w); b = Exp(a); c = Neg(b); return c }";
constexpr const char* kForbidden =
    "graph(x: f32[8,64], w: param f32[64]) { a = Add(x, w); b = Exp(a) @NoFusion(\"its error is studied\"); c = Neg(b); return c }";

std::string error_of(const std::string& annotation) {
  const auto graph = parse_graph("graph(x: f32[8]) { a = Exp(x) " + annotation + "; return a }");
  return graph.ok() ? "" : graph.error().message;
}

TEST(FusionAnnotation, IsPrintedAsItIsRead) {
  const std::string text =
      "graph(x: f32[8]) { a = Exp(x) @Fusible(max_operations=2, priority=-1); b = Neg(a) @NoFusion(\"a \\\"quoted\\\" reason\"); "
      "c = Abs(b) @Fusible(); return c }";
  EXPECT_EQ(named_text(graph_of(text)), text);
}

TEST(FusionAnnotation, IsNoPartOfTheKeyAndSurvivesBinding) {
  EXPECT_EQ(graph_key(graph_of(kPlain)), graph_key(graph_of(kForbidden)));
  const Graph symbolic = graph_of("graph(x: f32[n]) { a = Exp(x) @NoFusion(\"why\"); b = Neg(a); return b }");
  const auto bound = fuselab::bind(symbolic, {{"n", 8}});
  ASSERT_TRUE(bound.ok());
  EXPECT_EQ(groups_of(fused(bound.value())), "Exp Neg");
}

TEST(FusionAnnotation, NoFusionKeepsAnOperatorAloneAndItsReasonIsTold) {
  EXPECT_EQ(groups_of(fused(kPlain)), "Add+Exp+Neg");
  const FusionResult result = fused(kForbidden);
  EXPECT_EQ(groups_of(result), "Add Exp Neg");
  EXPECT_EQ(reason_between(result, "a", "b"), "'b' is annotated NoFusion: its error is studied");
  const auto told = why_not_fused(result, "a", "c");
  ASSERT_TRUE(told.ok());
  EXPECT_NE(told.value().text.find("annotated NoFusion: its error is studied"), std::string::npos) << told.value().text;
}

TEST(FusionAnnotation, NoFusionKeepsAPatternFromBeingSeeded) {
  const FusionResult result = fused(
      "graph(x: f32[8,64]) { m = ReduceMax(x, axes=[-1]); d = Sub(x, m); e = Exp(d) @NoFusion(\"why\"); s = ReduceSum(e, "
      "axes=[-1]); "
      "y = Div(e, s); return y }");
  EXPECT_EQ(groups_of(result), "ReduceMax+Sub Exp ReduceSum+Div");
  EXPECT_NE(reason_between(result, "d", "e").find("annotated NoFusion: why"), std::string::npos)
      << reason_between(result, "d", "e");
}

TEST(FusionAnnotation, FusibleLimitsTheGroupThatTheOperatorIsIn) {
  const FusionResult result = fused(
      "graph(x: f32[8]) { a = Exp(x); b = Neg(a) @Fusible(max_operations=2); c = Abs(b); d = Relu(c); e = Tanh(d); return e }");
  EXPECT_EQ(groups_of(result), "Exp+Neg Abs+Relu+Tanh");
  EXPECT_NE(reason_between(result, "b", "c").find("annotated Fusible with at most 2"), std::string::npos);
}

TEST(FusionAnnotation, FusibleWithPriorityIsJoinedFirst) {
  FusionOptions options;
  options.max_fusion_ops = 2;
  const std::string before = "graph(x: f32[8]) { a = Exp(x); b = Neg(a); c = Abs(b)";
  EXPECT_EQ(groups_of(fused(before + "; return c }", options)), "Exp+Neg Abs");
  EXPECT_EQ(groups_of(fused(before + " @Fusible(priority=1); return c }", options)), "Exp Neg+Abs");
}

TEST(FusionAnnotation, WhatIsWrongWithOneIsNamed) {
  EXPECT_NE(error_of("@NoFusion()").find("expected the reason, \"in quotes\""), std::string::npos);
  EXPECT_NE(error_of("@NoFusion(\"\")").find("expected the reason"), std::string::npos);
  EXPECT_NE(error_of("@Fuse()").find("expected NoFusion or Fusible after '@'"), std::string::npos);
  EXPECT_NE(error_of("@Fusible(max_operations=0)").find("1 or more"), std::string::npos);
  EXPECT_NE(error_of("@Fusible(strategy=\"Merge\")").find("expected max_operations=… or priority=…"), std::string::npos);
  EXPECT_NE(error_of("@Fusible(priority=1").find("after the annotation"), std::string::npos);
}

}  // namespace
}  // namespace fuselab
