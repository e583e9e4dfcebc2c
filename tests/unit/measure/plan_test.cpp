// SPDX-License-Identifier: Apache-2.0
#include "core/measure/plan.h"

#include <gmock/gmock.h>

#include "core/graph/graph_text.h"

namespace fuselab {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Graph graph_of(std::string_view text) {
  auto graph = parse_graph(text);
  EXPECT_TRUE(graph.ok()) << (graph.ok() ? "" : graph.error().message);
  return std::move(graph).value();
}

NodeId node(std::uint32_t index) {
  return static_cast<NodeId>(index);
}

// A kernel whose arguments are those of a sub-graph, as every generator makes them.
CompiledKernel kernel_for(const Graph& whole, const std::vector<NodeId>& nodes) {
  const Graph part = extract(whole, nodes);
  CompiledKernel kernel;
  kernel.abi.entry = "k";
  for (const ValueId id : part.inputs()) kernel.abi.arguments.push_back({"in", BufferRole::kIn, part.type(id)});
  for (const ValueId id : part.outputs()) kernel.abi.arguments.push_back({"out", BufferRole::kOut, part.type(id)});
  kernel.abi.arguments.push_back({"scratch", BufferRole::kScratch, {DType::kU8, {Dim(64)}}});
  return kernel;
}

Result<Plan> plan_for(const Graph& whole, const std::vector<std::vector<NodeId>>& groups) {
  std::vector<CompiledKernel> kernels;
  for (const auto& group : groups) kernels.push_back(kernel_for(whole, group));
  return make_plan("test", whole, groups, std::move(kernels));
}

constexpr std::string_view kResidualNorm =
    "graph(i0: f32[4,8], i1: f32[4,8], p0: param f32[8]) { v0 = Add(i1, i0); v1 = RMSNormalization(v0, p0); v2 = Gelu(v1); "
    "return v0, v2 }";

TEST(Plan, OneKernelReadsInputsInOrderOfFirstUse) {
  const auto plan = plan_for(graph_of(kResidualNorm), {{node(0), node(1), node(2)}});
  ASSERT_TRUE(plan.ok()) << plan.error().message;
  EXPECT_EQ(plan.value().values.size(), 5U);
  EXPECT_THAT(plan.value().steps.at(0).arguments, ElementsAre(1, 0, 2, 3, 4));
}

TEST(Plan, OneKernelPerOperatorPassesIntermediatesAfterTheOutputs) {
  const auto plan = plan_for(graph_of(kResidualNorm), {{node(0)}, {node(1)}, {node(2)}});
  ASSERT_TRUE(plan.ok()) << plan.error().message;
  ASSERT_EQ(plan.value().steps.size(), 3U);
  EXPECT_EQ(plan.value().values.size(), 6U);
  EXPECT_THAT(plan.value().steps[0].arguments, ElementsAre(1, 0, 3));
  EXPECT_THAT(plan.value().steps[1].arguments, ElementsAre(3, 2, 5));
  EXPECT_THAT(plan.value().steps[2].arguments, ElementsAre(5, 4));
}

TEST(Plan, ReadingBeforeMakingIsAnErrorThatNamesTheValue) {
  const auto plan = plan_for(graph_of(kResidualNorm), {{node(1)}, {node(0)}, {node(2)}});
  ASSERT_FALSE(plan.ok());
  EXPECT_THAT(plan.error().message, HasSubstr("read before any kernel"));
  EXPECT_THAT(plan.error().message, HasSubstr("kernel 0"));
}

TEST(Plan, AnOutputThatNobodyMakesIsAnError) {
  const auto plan = plan_for(graph_of(kResidualNorm), {{node(0)}, {node(1)}});
  ASSERT_FALSE(plan.ok());
  EXPECT_THAT(plan.error().message, HasSubstr("no kernel of the plan makes output"));
}

TEST(Plan, AKernelWithOtherArgumentsThanItsPartIsRefused) {
  const Graph whole = graph_of(kResidualNorm);
  const std::vector<std::vector<NodeId>> groups = {{node(0), node(1), node(2)}};
  CompiledKernel few = kernel_for(whole, groups[0]);
  few.abi.arguments.erase(few.abi.arguments.begin());
  const auto missing = make_plan("test", whole, groups, {few});
  ASSERT_FALSE(missing.ok());
  EXPECT_THAT(missing.error().message, HasSubstr("takes 4 tensors, its part of the graph has 5"));
  CompiledKernel other = kernel_for(whole, groups[0]);
  other.abi.arguments[0].type.dtype = DType::kF16;
  const auto mistyped = make_plan("test", whole, groups, {other});
  ASSERT_FALSE(mistyped.ok());
  EXPECT_THAT(mistyped.error().message, HasSubstr("f16[4,8]"));
  EXPECT_FALSE(make_plan("test", whole, groups, {}).ok());
}

TEST(Plan, ViewsWithoutAKernelRenameTheirInput) {
  const Graph whole = graph_of(
      "graph(i0: f32[4,8]) { v0 = Relu(i0); v1 = Reshape(v0, shape=[32]); v2 = Exp(v1); v3 = Flatten(v2, axis=0); return v3 }");
  const auto plan = plan_for(whole, {{node(0)}, {node(2)}});
  ASSERT_TRUE(plan.ok()) << plan.error().message;
  EXPECT_THAT(plan.value().steps[0].arguments, ElementsAre(0, 2));
  EXPECT_THAT(plan.value().steps[1].arguments, ElementsAre(2, 1));  // made in the place of the output that views it
}

TEST(Plan, ConstantsAreCopiedIntoTheKernelsThatReadThem) {
  const Graph whole = graph_of("graph(i0: f32[4]) { v0 = Constant(value=2.0); v1 = Mul(i0, v0); v2 = Add(v1, v0); return v2 }");
  const auto plan = plan_for(whole, {{node(1)}, {node(2)}});
  ASSERT_TRUE(plan.ok()) << plan.error().message;
  EXPECT_THAT(plan.value().steps[0].arguments, ElementsAre(0, 2));
  EXPECT_THAT(plan.value().steps[1].arguments, ElementsAre(2, 1));
}

}  // namespace
}  // namespace fuselab
