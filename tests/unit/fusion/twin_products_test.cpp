// SPDX-License-Identifier: Apache-2.0
// Two products of one left operand: one piece where every asked backend makes it.
#include <gmock/gmock.h>

#include "tests/unit/fusion/fusion_test_support.h"

namespace fuselab {
namespace {

using testing::fused;
using testing::groups_of;
using testing::reason_between;

FusionOptions asking_for_twins(bool cuda, bool other) {
  FusionOptions options;
  options.asked = {{"cuda", {}}, {"cpu", {}}};
  options.asked[0].limits.takes_twin_products = cuda;
  options.asked[1].limits.takes_twin_products = other;
  return options;
}

const FusionOptions kTwinsTaken = asking_for_twins(true, true);

std::string gated_layer(const char* gate, const char* up = "MatMul(x, u)") {
  return std::string(
             "graph(x: f32[64,32], w: param f32[32,48], u: param f32[32,48], v: param f32[48,32], b: param f32[48]) { g = ") +
         gate + "; s = Sigmoid(g); t = Mul(g, s); p = " + up + "; y = Mul(t, p); z = MatMul(y, v); return z }";
}

TEST(TwinProducts, AreOnePieceWhereEveryAskedBackendMakesIt) {
  const std::string graph = gated_layer("MatMul(x, w)");
  EXPECT_EQ(groups_of(fused(graph, kTwinsTaken)), "MatMul+Sigmoid+Mul+MatMul+Mul MatMul");
  EXPECT_EQ(groups_of(fused(graph)), groups_of(fused(graph, asking_for_twins(true, false)))) << "nobody was asked";
  const auto apart = fused(graph, asking_for_twins(true, false));
  EXPECT_EQ(groups_of(apart), "MatMul MatMul+Sigmoid+Mul+Mul MatMul");
  EXPECT_EQ(reason_between(apart, "p", "y"), "MatMul's epilogue reads what MatMul computes: a kernel has one contraction");
  EXPECT_EQ(apart.rejected.front().backend, "cpu");
}

TEST(TwinProducts, AreOnePieceWhenOneOfThemAddsToItsSums) {
  const std::string graph = gated_layer("Gemm(x, w, b)", "Gemm(x, u)");
  EXPECT_EQ(groups_of(fused(graph, kTwinsTaken)), "Gemm+Sigmoid+Mul+Gemm+Mul MatMul");
  const auto both = fused(gated_layer("Gemm(x, w, b)", "Gemm(x, u, b)"), kTwinsTaken);
  EXPECT_EQ(reason_between(both, "p", "y"),
            "Gemm's epilogue reads what Gemm computes: others read both products, or each adds a number of its own");
}

TEST(TwinProducts, StayApartWhereTheyDiffer) {
  const auto reason = [](const std::string& graph) { return reason_between(fused(graph, kTwinsTaken), "p", "y"); };
  const std::string reads = "MatMul's epilogue reads what MatMul computes: ";
  EXPECT_EQ(reason("graph(x: f32[64,32], a: f32[64,32], w: f32[32,48], u: f32[32,48]) { g = MatMul(x, w); p = MatMul(a, u); "
                   "y = Mul(g, p); return y }"),
            reads + "a kernel makes two products only of one left operand");
  EXPECT_EQ(reason("graph(x: f32[16,32], w: f32[32,48], u: f32[32,48]) { g = MatMul(x, w); p = MatMul(x, u); y = Mul(g, p); "
                   "return y }"),
            reads + "so few rows gain nothing by two products in a kernel");
  EXPECT_EQ(reason("graph(x: f32[64,32], w: f32[32,48], u: f32[32,48]) { g = MatMul(x, w); p = MatMul(x, u); y = Mul(g, p); "
                   "return g, p, y }"),
            reads + "others read both products, or each adds a number of its own");
  EXPECT_EQ(reason("graph(x: f32[N,32], w: f32[32,48], u: f32[32,48]) { g = MatMul(x, w); p = MatMul(x, u); y = Mul(g, p); "
                   "return y }"),
            reads + "whether two products pay in one kernel is known only with all extents");
  const auto three = fused(
      "graph(x: f32[64,32], w: f32[32,48], u: f32[32,48], v: f32[32,48]) { g = MatMul(x, w); p = MatMul(x, u); t = Mul(g, p); "
      "q = MatMul(x, v); y = Mul(t, q); return y }",
      kTwinsTaken);
  EXPECT_EQ(reason_between(three, "q", "y"), reads + "a kernel has at most two contractions");
}

// A kernel of two products computes no operand: what makes one stays outside.
TEST(TwinProducts, TakeNoPrologue) {
  FusionOptions options = kTwinsTaken;
  for (BackendLimits& each : options.asked) each.limits.takes_prologue = true;
  const auto result = fused(
      "graph(x: f32[64,32], r: f32[32,48], w: f32[32,48]) { g = MatMul(x, w); u = Relu(r); p = MatMul(x, u); y = Mul(g, p); "
      "return y }",
      options);
  EXPECT_EQ(groups_of(result), "Relu MatMul+MatMul+Mul");
}

}  // namespace
}  // namespace fuselab
