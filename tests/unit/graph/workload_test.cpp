// SPDX-License-Identifier: Apache-2.0
#include "core/workloads/workload.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "core/graph/graph_text.h"
#include "tests/support/graph_builder.h"

namespace fuselab {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(BuiltinWorkloads, StandInTheirOrderWithUniqueIds) {
  std::vector<std::string> ids;
  for (const Workload& workload : builtin_workloads()) ids.push_back(workload.id);
  EXPECT_THAT(
      ids, ElementsAre("w1-bias-gelu", "w2-gelu-written-out", "w3-residual-rmsnorm", "w4-layernorm", "w4-layernorm-written-out",
                       "w4-rmsnorm", "w5-softmax", "w5-softmax-op", "w6-swiglu", "w7-rope", "w7-rope-op", "w8-cross-entropy",
                       "w9-linear-cross-entropy", "w10-matmul-bias-gelu", "w11-conv-bn-relu", "w12-attention",
                       "w12-attention-written-out", "w13-mean-variance", "w13-full-mean-variance", "w13-row-sum", "w13-full-sum",
                       "w14-adam", "w15-dropout-residual-layernorm", "w16-dequant-gemv", "w16-rmsnorm-quantize",
                       "w17-rmsnorm-matmul", "w17-qknorm-rope-append", "w18-matmul-integer-scale-bias", "s1-matmul-vec",
                       "s1-matmul-vec-into", "s1-matmul", "s1-rmsnorm", "s1-softmax", "s1-softmax-view", "s1-silu", "s1-apply-rope",
                       "s1-attention-scores", "s1-weighted-sum-rows"));
  EXPECT_EQ(std::set<std::string>(ids.begin(), ids.end()).size(), ids.size());
}

TEST(BuiltinWorkloads, AllBuildInEveryFloatingTypeAndComeBackFromTheirText) {
  for (const Workload& workload : builtin_workloads()) {
    EXPECT_FALSE(workload.title.empty());
    EXPECT_FALSE(workload.family.empty());
    for (const DType dtype : {DType::kF64, DType::kF32, DType::kF16, DType::kBF16}) {
      const auto graph = instantiate(workload, {}, dtype);
      ASSERT_TRUE(graph.ok()) << graph.error().message;
      EXPECT_TRUE(graph.value().is_concrete());
      const std::string text = canonical_text(graph.value());
      EXPECT_EQ(canonical_text(testing::graph_from(text)), text);
    }
  }
}

TEST(BuiltinWorkloads, BoundTensorsOfTheTrafficWorkloadsAre64MiB) {
  for (const char* name : {"w1", "w3", "w4-layernorm", "w4-rmsnorm", "w5", "w5-softmax-op", "w6", "w7", "w7-rope-op", "w8", "w13",
                           "w13-full-mean-variance", "w13-row-sum", "w13-full-sum"}) {
    const Graph graph = testing::workload_graph(name);
    EXPECT_EQ(size_of(graph.type(graph.inputs()[0])).value().count, 64 << 20) << name;
  }
}

// The eleven operations of S1 less name(), which computes nothing.
TEST(BuiltinWorkloads, CoverTheOperationsOfTheComputeBackendInterface) {
  for (const char* name : {"s1-matmul-vec", "s1-matmul-vec-into", "s1-matmul", "s1-rmsnorm", "s1-softmax", "s1-softmax-view",
                           "s1-silu", "s1-apply-rope", "s1-attention-scores", "s1-weighted-sum-rows"}) {
    const auto found = find_workload(name);
    ASSERT_TRUE(found.ok()) << name;
    EXPECT_TRUE(instantiate(*found.value(), {}, DType::kF32).ok());
  }
}

TEST(FindWorkload, TakesTheIdOrItsLeadingPartInAnyCase) {
  EXPECT_EQ(find_workload("w3-residual-rmsnorm").value()->id, "w3-residual-rmsnorm");
  EXPECT_EQ(find_workload("W3").value()->id, "w3-residual-rmsnorm");
  EXPECT_EQ(find_workload("w1").value()->id, "w1-bias-gelu");
  EXPECT_EQ(find_workload("w5").value()->id, "w5-softmax");
  EXPECT_EQ(find_workload("W5-SOFTMAX-OP").value()->id, "w5-softmax-op");
  EXPECT_THAT(also_meant("W4"), ::testing::ElementsAre("w4-layernorm-written-out", "w4-rmsnorm"));
  EXPECT_THAT(also_meant("w1"), ::testing::IsEmpty());
  EXPECT_THAT(also_meant("w4-layernorm"), ::testing::IsEmpty()) << "an id means itself";
}

TEST(FindWorkload, SuggestsNearNames) {
  const auto typo = find_workload("w6-swigul");
  ASSERT_FALSE(typo.ok());
  EXPECT_EQ(typo.error().code, ErrorCode::kNotFound);
  EXPECT_THAT(typo.error().message, HasSubstr("no built-in workload is called 'w6-swigul'; near it: w6-swiglu"));
  EXPECT_THAT(find_workload("softmax").error().message, HasSubstr("w5-softmax, w5-softmax-op, s1-softmax"));
  EXPECT_THAT(find_workload("rmsnrm").error().message, HasSubstr("s1-rmsnorm"));
  EXPECT_THAT(find_workload("").error().message, HasSubstr("no built-in workload is called ''"));
  EXPECT_THAT(find_workload(std::string(100000, 'z')).error().message, HasSubstr("`fuselab workloads` lists them"));
}

TEST(Instantiate, ChangesEveryFloatingTypeAndNoOther) {
  const Graph loss = testing::workload_graph("w8", "rows=2,vocab=5", DType::kBF16);
  EXPECT_EQ(canonical_text(loss),
            "graph(i0: bf16[2,5], i1: i64[2]) { v0 = SoftmaxCrossEntropyLoss(i0, i1, reduction=\"none\"); return v0 }");
  const Graph scores = testing::workload_graph("s1-attention-scores", "seq=3,dim=4", DType::kF16);
  EXPECT_THAT(canonical_text(scores), HasSubstr("Constant(dtype=\"f16\", value=0.08838834764831845)"));
  EXPECT_THAT(canonical_text(scores), Not(HasSubstr("f32")));
}

TEST(Instantiate, ChangesTheTargetOfACast) {
  Workload workload;
  workload.id = "mine";
  workload.graph_text = "graph(x: i32[n]) { f = Cast(x, to=\"f32\"); y = Exp(f); i = Cast(y, to=\"i32\"); return i }";
  const auto graph = instantiate(workload, {{"n", 3}}, DType::kF16);
  ASSERT_TRUE(graph.ok());
  EXPECT_EQ(canonical_text(graph.value()),
            "graph(i0: i32[3]) { v0 = Cast(i0, to=\"f16\"); v1 = Exp(v0); v2 = Cast(v1, to=\"i32\"); return v2 }");
}

TEST(Instantiate, SaysWhichWorkloadAndWhatIsMissing) {
  const Workload& workload = *find_workload("w3").value();
  EXPECT_EQ(instantiate(workload, {{"rows", 4}}, DType::kF32).error().message,
            "w3-residual-rmsnorm: the shape needs a value for cols: --shape cols=…");
  EXPECT_THAT(instantiate(workload, {{"rows", 4}, {"cols", 4}, {"k", 1}}, DType::kF32).error().message,
              HasSubstr("'k' is no symbol"));
  EXPECT_THAT(instantiate(workload, {}, DType::kI32).error().message, HasSubstr("needs a floating-point type, got i32"));
}

}  // namespace
}  // namespace fuselab
