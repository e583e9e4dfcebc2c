// SPDX-License-Identifier: Apache-2.0
#include "core/fusion/explain/statistics.h"

#include "core/fusion/explain/verify_fusion.h"
#include "fusion_test_support.h"

namespace fuselab {
namespace {

using testing::fused;

constexpr const char* kTwoGroups =
    "graph(x: f32[8,64], w: param f32[64,32], b: param f32[32]) { a = Relu(x); e = Exp(a); m = MatMul(e, w); s = Add(m, b); "
    "r = Reshape(s, shape=[256]); t = Sin(r); return t }";

TEST(FusionStatistics, CountWhatRunsAndWhatStayedApart) {
  const FusionResult result = fused(kTwoGroups);
  const FusionStatistics statistics = statistics_of(result);
  EXPECT_EQ(statistics.operators, 5);  // the view runs nothing
  EXPECT_EQ(statistics.fused_operators, 4);
  EXPECT_EQ(statistics.groups, 2);
  EXPECT_EQ(statistics.pieces, 3);
  EXPECT_DOUBLE_EQ(statistics.fused_share(), 0.8);
  EXPECT_DOUBLE_EQ(statistics.operators_per_group(), 2.0);
  EXPECT_EQ(statistics.groups_by_pattern, (std::map<std::string, int>{{"ElementWise", 1}, {"LinearActivation", 1}}));
  EXPECT_EQ(statistics.rejected, static_cast<int>(result.rejected.size()));
  int told = 0;
  for (const auto& [reason, count] : statistics.rejected_by_reason) told += count;
  EXPECT_EQ(told, statistics.rejected);
  EXPECT_GT(statistics.started_unix_seconds, 1.7e9);
  EXPECT_GT(statistics.seconds, 0);
}

TEST(FusionStatistics, OfWhatIsNotFusedAreZero) {
  FusionOptions options;
  options.enable_fusion = false;
  const FusionStatistics statistics = statistics_of(fused(kTwoGroups, options));
  EXPECT_EQ(statistics.fused_operators, 0);
  EXPECT_EQ(statistics.groups, 0);
  EXPECT_EQ(statistics.fused_share(), 0);
  EXPECT_EQ(statistics.operators_per_group(), 0);
}

TEST(VerifyFusion, PiecesComputeWhatTheirOperatorsComputeOneByOne) {
  const FusionVerification verified = verify_fusion(fused(kTwoGroups));
  EXPECT_TRUE(verified.passed) << verified.detail;
  EXPECT_EQ(verified.pieces, 2);
  EXPECT_EQ(verified.test_cases, 20);
  EXPECT_GT(verified.max_error, 0);  // what is rounded between operators shows
  EXPECT_LE(verified.mean_error, verified.max_error);
  EXPECT_LE(verified.worst_ratio, 1);
}

TEST(VerifyFusion, ToleratesWhatTheElementTypeRoundsAway) {
  const FusionVerification verified =
      verify_fusion(fused("graph(x: f16[8,64], w: f16[64]) { a = Add(x, w); b = Sigmoid(a); c = Mul(a, b); return c }"));
  EXPECT_TRUE(verified.passed) << verified.detail;
  EXPECT_GT(verified.max_error, 1e-5);  // the documents' one bound for all types fails every f16 piece
}

TEST(VerifyFusion, FindsAPieceThatIsNotWhatItsOperatorsAre) {
  FusionResult result = fused("graph(x: f32[8,64], y: f32[8,64]) { a = Add(x, y); b = Exp(a); return b }");
  result.operations.front().graph =
      testing::graph_of("graph(x: f32[8,64], y: f32[8,64]) { a = Add(x, y); b = Exp(a); c = Mul(b, b); return c }");
  const FusionVerification wrong = verify_fusion(result);
  EXPECT_FALSE(wrong.passed);
  EXPECT_GT(wrong.worst_ratio, 1);
  EXPECT_NE(wrong.detail.find("output 0"), std::string::npos) << wrong.detail;
  result.operations.front().graph = testing::graph_of("graph(x: f32[8,64]) { a = Exp(x); b = Neg(a); return b }");
  EXPECT_NE(verify_fusion(result).detail.find("reads or makes something else"), std::string::npos);
}

TEST(VerifyFusion, SaysWhatItLeavesOut) {
  const FusionVerification left = verify_fusion(fused("graph(x: f32[n]) { a = Neg(x); b = Exp(a); return b }"));
  EXPECT_EQ(left.test_cases, 0);
  EXPECT_EQ(left.left_out, 1);
  EXPECT_NE(left.why_left_out.find("extents are not known"), std::string::npos);
}

TEST(FusionStatistics, FoldsAreListedAndTheOthersCounted) {
  ImportCounts imported;
  imported.folded_constants = 5;
  imported.fold_notes = {"Shape 'a' folded", "Gather 'b' folded", "Concat 'c' folded"};
  EXPECT_EQ(fold_sentences(imported, 2),
            (std::vector<std::string>{"Shape 'a' folded", "Gather 'b' folded", "3 more operators folded like these"}));
  EXPECT_EQ(fold_sentences(imported, 9).back(), "2 more operators folded like these") << "of which the import listed no more";
  EXPECT_TRUE(fold_sentences(ImportCounts(), 9).empty());
}

}  // namespace
}  // namespace fuselab
