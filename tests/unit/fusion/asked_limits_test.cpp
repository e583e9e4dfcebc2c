// SPDX-License-Identifier: Apache-2.0
#include "core/fusion/explain/statistics.h"
#include "core/fusion/explain/why_not.h"
#include "tests/unit/fusion/fusion_test_support.h"

namespace fuselab {
namespace {

using testing::fused;
using testing::groups_of;
using testing::reason_between;

constexpr const char* kChain = R"(graph(x: f32[8,64], y: f32[8,64], z: f32[8,64]) {
  a = Add(x, y); b = Mul(a, z); c = Relu(b); d = Sin(c); return d })";

FusionOptions asking(std::vector<BackendLimits> asked) {
  FusionOptions options;
  options.asked = std::move(asked);
  return options;
}

BackendLimits limited(const char* backend, int operators, int tensors, std::vector<Op> alone = {Op::kSin}) {
  BackendLimits limits{backend, {}};
  limits.limits.most_operators = operators;
  limits.limits.most_tensors = tensors;
  limits.limits.writes_alone = std::move(alone);
  return limits;
}

TEST(AskedLimits, WhereNobodyIsAskedPiecesAreWhatAllBackendsWrite) {
  const auto result = fused(kChain);
  EXPECT_EQ(groups_of(result), "Add+Mul+Relu Sin");
  EXPECT_EQ(result.rejected.front().backend, "");
}

TEST(AskedLimits, ABackendThatWritesAnOperatorBesideOthersGetsItSo) {
  EXPECT_EQ(groups_of(fused(kChain, asking({limited("free", 0, 0, {})}))), "Add+Mul+Relu+Sin");
}

TEST(AskedLimits, TheStrictestOfSeveralDecidesAndIsNamed) {
  const auto result = fused(kChain, asking({limited("wide", 9, 0, {}), limited("narrow", 2, 0), limited("free", 0, 0, {})}));
  EXPECT_EQ(groups_of(result), "Add+Mul Relu Sin");
  EXPECT_EQ(reason_between(result, "b", "c"), "together 3 operators, and narrow takes at most 2 in a kernel");
  EXPECT_EQ(reason_between(result, "c", "d"),
            "narrow writes Sin beside no other operator: they would run slowly there, or not at all");
  const FusionStatistics statistics = statistics_of(result);
  EXPECT_EQ(statistics.rejected_by_backend, (std::map<std::string, int>{{"narrow", 2}}));
  const auto why = why_not_fused(result, "b", "c");
  ASSERT_TRUE(why.ok());
  EXPECT_NE(why.value().text.find("narrow takes at most 2"), std::string::npos) << why.value().text;
}

TEST(AskedLimits, TensorsAreCountedWithWhatOthersStillRead) {
  // x, y, z and c: four. Of Add+Mul with b kept: x, y, z, b.
  EXPECT_EQ(groups_of(fused(kChain, asking({limited("few", 0, 4)}))), "Add+Mul+Relu Sin");
  const auto result = fused(kChain, asking({limited("few", 0, 3)}));
  EXPECT_EQ(groups_of(result), "Add Mul+Relu Sin");
  EXPECT_EQ(reason_between(result, "a", "b"), "their kernel would read and write 4 tensors, and one of few takes at most 3");
  const auto shared =
      fused("graph(x: f32[8], y: f32[8]) { a = Add(x, y); b = Relu(a); return a, b }", asking({limited("few", 0, 3)}));
  EXPECT_EQ(groups_of(shared), "Add Relu") << "two inputs and two results";
}

TEST(AskedLimits, PatternsHoldThemToo) {
  constexpr const char* kNorm = R"(graph(x: f32[8,64], g: f32[64]) {
    s = Mul(x, x); m = ReduceMean(s, axes=[1], keepdims=1); e = Constant(value=1e-5); v = Add(m, e); r = Sqrt(v);
    n = Div(x, r); o = Mul(n, g); return o })";
  EXPECT_EQ(fused(kNorm).operations.size(), 1U);
  const auto result = fused(kNorm, asking({limited("narrow", 3, 0)}));
  for (const FusedOperation& piece : result.operations) EXPECT_LE(piece.nodes.size(), 3U);
  ASSERT_FALSE(result.rejected.empty());
  EXPECT_EQ(result.rejected.front().backend, "narrow");
  EXPECT_NE(result.rejected.front().reason.find("narrow takes at most 3 in a kernel"), std::string::npos)
      << result.rejected.front().reason;
}

TEST(AskedLimits, WhatMovesOrReducesHasLoopsOfItsOwnWhateverABackendSays) {
  const auto result =
      fused("graph(x: f32[8,64]) { a = Relu(x); b = CumSum(a, axis=1); return b }", asking({limited("free", 0, 0, {})}));
  EXPECT_EQ(groups_of(result), "Relu CumSum");
}

}  // namespace
}  // namespace fuselab
