// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "core/fusion/explain/why_not.h"
#include "tests/unit/fusion/fusion_test_support.h"

namespace fuselab {
namespace {

using testing::fused;
using testing::groups_of;
using ::testing::HasSubstr;
using testing::reason_between;

BackendLimits taking_prologues(const char* name, bool takes_prologue) {
  BackendLimits limits{name, {}};
  limits.limits.takes_prologue = takes_prologue;
  return limits;
}

FusionOptions that_ask(std::vector<BackendLimits> asked) {
  FusionOptions options;
  options.asked = std::move(asked);
  return options;
}

const FusionOptions kTaken = that_ask({taking_prologues("cpu", true)});

constexpr const char* kWeights = R"(graph(x: f32[64,32], w: f32[32,48], s: f32[48]) {
  v = Mul(w, s); r = Relu(v); y = MatMul(x, r); z = Relu(y); return z })";

TEST(Prologue, IsTakenWhereEveryAskedBackendTakesIt) {
  EXPECT_EQ(groups_of(fused(kWeights, kTaken)), "Mul+Relu+MatMul+Relu");
  EXPECT_EQ(groups_of(fused(kWeights)), "Mul+Relu MatMul+Relu") << "nobody was asked";
  const auto result = fused(kWeights, that_ask({taking_prologues("cpu", true), taking_prologues("cuda", false)}));
  EXPECT_EQ(groups_of(result), "Mul+Relu MatMul+Relu");
  EXPECT_EQ(reason_between(result, "r", "y"), "cuda computes no operand inside MatMul's kernel: it reads what Relu has written");
  EXPECT_EQ(result.rejected.front().backend, "cuda");
}

TEST(Prologue, IsLeftAloneWhenAskedTo) {
  FusionOptions options = kTaken;
  options.enable_prologue_fusion = false;
  EXPECT_EQ(reason_between(fused(kWeights, options), "r", "y"), "prologue fusion is off");
}

TEST(Prologue, SaysWhatItCostsAndSaves) {
  const auto why = why_not_fused(fused(kWeights, kTaken), "v", "y");
  ASSERT_TRUE(why.ok());
  EXPECT_THAT(why.value().text,
              HasSubstr("Relu is computed where MatMul reads it: each element once, as it would be alone, and 12.0 KiB "
                        "less are written and read."));
}

// Nine windows stand over each element: computing Sigmoid eight times more weighs more than writing and reading it.
TEST(Prologue, IsLeftWhereComputingItAnewCostsMore) {
  const auto result =
      fused(R"(graph(x: f32[1,4,16,16], w: f32[8,4,3,3]) { b = Sigmoid(x); y = Conv(b, w, pads=[1,1,1,1]); return y })", kTaken);
  EXPECT_EQ(groups_of(result), "Sigmoid Conv");
  EXPECT_EQ(reason_between(result, "b", "y"),
            "computing Sigmoid in Conv's kernel would do so 9 times, once for each window it stands in, and one element at a time: "
            "2.34 M operations more cost more "
            "than writing and reading 4.00 KiB does");
  EXPECT_EQ(groups_of(fused("graph(x: f32[1,4,16,16], w: f32[8,4,1,1]) { b = Sigmoid(x); y = Conv(b, w); return y }", kTaken)),
            "Sigmoid+Conv")
      << "a window of one element";
}

TEST(Prologue, OfTheLeftOperandIsComputedOnceForAllColumns) {
  EXPECT_EQ(groups_of(fused("graph(x: f32[64,32], w: f32[32,48]) { r = Gelu(x); y = MatMul(r, w); return y }", kTaken)),
            "Gelu+MatMul");
  EXPECT_EQ(groups_of(fused("graph(x: f32[2048,32], w: f32[32,96]) { r = Gelu(x); y = MatMul(r, w); return y }", kTaken)),
            "Gelu+MatMul")
      << "many rows";
  const auto few = fused("graph(x: f32[128,32], w: f32[32,96]) { r = Gelu(x); y = MatMul(r, w); return y }", kTaken);
  EXPECT_THAT(reason_between(few, "r", "y"), HasSubstr("would do so 2 times, once for each half of the columns: 131 k operations"));
  EXPECT_EQ(groups_of(fused("graph(x: f32[128,32], w: f32[32,96]) { r = Relu(x); y = MatMul(r, w); return y }", kTaken)),
            "Relu+MatMul")
      << "costs little";
  const auto batches = fused("graph(x: f32[64,32], w: f32[12,32,48]) { r = Gelu(x); y = MatMul(r, w); return y }", kTaken);
  EXPECT_THAT(reason_between(batches, "r", "y"), HasSubstr("would do so 12 times, once for each matrix that shares it"));
}

TEST(Prologue, IsOnlyWhatTheContractionAloneReads) {
  const auto both = fused("graph(x: f32[32,32]) { r = Relu(x); y = MatMul(r, r); return y }", kTaken);
  EXPECT_EQ(groups_of(both), "Relu MatMul");
  const auto shared =
      fused("graph(x: f32[64,32], w: f32[32,48]) { r = Gelu(w); y = MatMul(x, r); z = Exp(r); return y, z }", kTaken);
  EXPECT_THAT(reason_between(shared, "r", "y"), HasSubstr("has to be written anyway"));
  const auto two = fused("graph(x: f32[64,32], w: f32[32,48]) { r = Relu(w); s = Relu(x); y = MatMul(s, r); return y }", kTaken);
  EXPECT_EQ(two.operations.size(), 2U) << groups_of(two);
  const auto turned = fused("graph(x: f32[32,64], w: f32[32,48]) { r = Relu(x); y = Gemm(r, w, transA=1); return y }", kTaken);
  EXPECT_EQ(reason_between(turned, "r", "y"), "Gemm reads that operand by columns, and Relu makes it by rows");
}

// What a model of quantised numbers stands for them while it is trained.
TEST(Prologue, MakesNoWholeNumbersOnTheWay) {
  const auto rounded = fused(
      R"(graph(x: f32[64,32], w: f32[32,48]) { c = Cast(x, to="i8"); d = Cast(c, to="f32"); y = MatMul(d, w); return y })", kTaken);
  EXPECT_EQ(groups_of(rounded), "Cast+Cast MatMul");
  EXPECT_EQ(reason_between(rounded, "d", "y"),
            "Cast makes whole numbers or truth values on the way, which no contraction's kernel computes");
}

// Square shapes: what reaches the prologue would fit the epilogue's.
TEST(Prologue, TakesNothingMoreOnceItIsPartOfTheKernel) {
  const auto result = fused(R"(graph(x: f32[32,32], w: f32[32,32], u: f32[32,32]) {
    a = MatMul(w, u); r = Relu(u); s = Add(r, w); y = MatMul(x, s); z = Add(y, a); return z })",
                            kTaken);
  EXPECT_EQ(groups_of(result), "Relu+Add+MatMul MatMul+Add");
  for (const FusedOperation& piece : result.operations) EXPECT_TRUE(validate(piece).valid()) << piece.name;
  // The product asks first, and takes the sum before the sum takes what it reads.
  const auto first = fused(R"(graph(x: f32[32,32], w: f32[32,32], u: f32[32,32]) {
    r = Relu(u); s = Add(r, w); y = MatMul(x, s) @Fusible(priority=1); return y })",
                           kTaken);
  EXPECT_EQ(groups_of(first), "Relu Add+MatMul");
  EXPECT_EQ(reason_between(first, "r", "s"),
            "Add is computed while MatMul brings its operand together: only what was fused with it before is computed with it");
  for (const FusedOperation& piece : first.operations) EXPECT_TRUE(validate(piece).valid()) << piece.name;
  EXPECT_EQ(fused(R"(graph(x: f32[n,32], w: f32[32,m]) { r = Relu(w); y = MatMul(x, r); return y })", kTaken).operations.size(),
            2U);
}

}  // namespace
}  // namespace fuselab
