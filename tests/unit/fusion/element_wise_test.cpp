// SPDX-License-Identifier: Apache-2.0
#include "fusion_test_support.h"

namespace fuselab {
namespace {

using testing::fused;
using testing::graph_of;
using testing::groups_of;
using testing::reason_between;

constexpr std::string_view kAddMulRelu =
    "graph(a: f32[8,64], b: f32[8,64], c: f32[8,64]) { s = Add(a, b); p = Mul(s, c); r = Relu(p); return r }";
constexpr std::string_view kFive =
    "graph(a: f32[8,64]) { v1 = Exp(a); v2 = Abs(v1); v3 = Sqrt(v2); v4 = Tanh(v3); v5 = Relu(v4); return v5 }";

TEST(ElementWiseFusion, AddMulReluBecomesOneGroup) {
  const auto result = fused(kAddMulRelu);
  ASSERT_EQ(result.operations.size(), 1u);
  EXPECT_EQ(result.operations[0].pattern, FusionPatternType::kElementWise);
  EXPECT_EQ(result.original_op_count, 3);
  EXPECT_EQ(result.fused_op_count, 1);
  EXPECT_TRUE(result.rejected.empty());
  EXPECT_EQ(result.operations[0].cost.ideal().count, 4 * 8 * 64 * 4);
  EXPECT_EQ(result.operations[0].id, graph_key(result.operations[0].graph).short_hex());
}

TEST(ElementWiseFusion, LimitOfThreeOnFiveOperatorsGivesThreeAndTwo) {
  FusionOptions options;
  options.max_fusion_ops = 3;
  const auto result = fused(kFive, options);
  EXPECT_EQ(groups_of(result), "Exp+Abs+Sqrt Tanh+Relu");
  ASSERT_EQ(result.rejected.size(), 1u);
  EXPECT_NE(result.rejected[0].reason.find("the limit is 3"), std::string::npos) << result.rejected[0].reason;
}

TEST(ElementWiseFusion, WhatSharesNoKernelKeepsNobodyFromRunning) {
  const auto result = fused("graph(a: f32[8,64], b: f32[8,64]) { e = Exp(a); r = Relu(e); c = Less(r, b); n = Not(c); return n }");
  EXPECT_EQ(groups_of(result), "Exp+Relu Less Not");
  ASSERT_EQ(result.rejected.size(), 2u);
  EXPECT_NE(result.rejected[0].reason.find("no backend writes Less together with others yet"), std::string::npos)
      << result.rejected[0].reason;
}

TEST(ElementWiseFusion, OffLeavesEveryOperatorAloneAndSaysSo) {
  const auto result = fused(kFive, options_for(OptimizationLevel::kO0));
  EXPECT_EQ(result.operations.size(), 5u);
  ASSERT_EQ(result.rejected.size(), 4u);
  for (const auto& rejected : result.rejected) EXPECT_EQ(rejected.reason, "fusion is off");
}

TEST(ElementWiseFusion, BroadcastOperandsFromOutsideAreNoObstacle) {
  const auto result = fused("graph(x: f32[batch,768], b: param f32[768]) { s = Add(x, b); y = Gelu(s); return y }");
  EXPECT_EQ(groups_of(result), "Add+Gelu");
}

TEST(ElementWiseFusion, SmallerProducerStaysApartWithBothShapesNamed) {
  const auto result = fused("graph(x: f32[8,768], b: param f32[768]) { e = Exp(b); s = Add(x, e); return s }");
  EXPECT_EQ(result.operations.size(), 2u);
  const std::string reason = reason_between(result, "e", "s");
  EXPECT_NE(reason.find("[768]"), std::string::npos) << reason;
  EXPECT_NE(reason.find("[8,768]"), std::string::npos) << reason;
}

TEST(ElementWiseFusion, IntermediateReadOutsideBecomesSecondOutput) {
  const auto result = fused("graph(a: f32[8,64], b: f32[8,64]) { s = Add(a, b); r = Relu(s); return s, r }");
  ASSERT_EQ(result.operations.size(), 1u);
  EXPECT_EQ(result.operations[0].graph.outputs().size(), 2u);
}

TEST(ElementWiseFusion, DiamondWithOutsideNodeStaysAcyclic) {
  // Exp feeds Add both directly and through a Transpose pair that no element-wise kernel can hold.
  const auto result = fused("graph(a: f32[8,8]) { e = Exp(a); t = Transpose(e, perm=[1,0]); s = Add(e, t); return s }");
  EXPECT_EQ(groups_of(result), "Exp Transpose Add");
  EXPECT_NE(reason_between(result, "e", "s").find("comes back"), std::string::npos) << reason_between(result, "e", "s");
}

TEST(ElementWiseFusion, DiamondInsideOneGroupIsFused) {
  EXPECT_EQ(groups_of(fused("graph(a: f32[8,8]) { e = Exp(a); l = Abs(e); r = Neg(e); s = Add(l, r); return s }")),
            "Exp+Abs+Neg+Add");
}

TEST(ElementWiseFusion, BenefitBelowTheLeastThatPaysIsNamed) {
  FusionOptions options;
  options.min_benefit_score = 90;
  const auto result = fused("graph(a: f32[8,64], b: f32[8,64]) { s = Add(a, b); r = Relu(s); return s, r }", options);
  EXPECT_EQ(result.operations.size(), 2u);
  ASSERT_EQ(result.rejected.size(), 1u);
  // One of two passes over the sum is saved (50), and one launch (5).
  EXPECT_NE(result.rejected[0].reason.find("worth 55"), std::string::npos) << result.rejected[0].reason;
}

TEST(ElementWiseFusion, OptionsHaveTheDocumentsDefaults) {
  const FusionOptions options;
  EXPECT_TRUE(options.enable_fusion);
  EXPECT_EQ(options.max_fusion_ops, 10);
  EXPECT_EQ(options.min_benefit_score, 50);
  EXPECT_TRUE(options.enable_batch_norm_folding);
  EXPECT_TRUE(options.enable_conv_activation_fusion);
  EXPECT_EQ(options.aggressiveness, FusionAggressiveness::kMedium);
}

TEST(ElementWiseFusion, OptionsOutOfRangeAreAnError) {
  FusionOptions options;
  options.max_fusion_ops = 0;
  EXPECT_FALSE(fuse(graph_of(kFive), options).ok());
}

TEST(ElementWiseFusion, SwiGluIsRecognisedWrittenOutAndAsOperator) {
  const auto written = fused("graph(g: f32[8,64], u: f32[8,64]) { s = Sigmoid(g); p = Mul(g, s); y = Mul(p, u); return y }");
  ASSERT_EQ(written.operations.size(), 1u);
  EXPECT_EQ(written.operations[0].pattern, FusionPatternType::kSwiGlu);
  const auto swish = fused("graph(g: f32[8,64], u: f32[8,64]) { s = Swish(g); y = Mul(s, u); return y }");
  ASSERT_EQ(swish.operations.size(), 1u);
  EXPECT_EQ(swish.operations[0].pattern, FusionPatternType::kSwiGlu);
}

TEST(ElementWiseFusion, ViewsSitOnlyAtTheEndsOfGroups) {
  const auto result = fused("graph(a: f32[8,64]) { e = Exp(a); v = Reshape(e, shape=[512]); r = Relu(v); t = Tanh(r); return t }");
  EXPECT_EQ(groups_of(result), "Exp+Reshape Relu+Tanh");
  EXPECT_NE(reason_between(result, "v", "r").find("changes the shape"), std::string::npos);
}

TEST(ElementWiseFusion, ViewOfSharedValueGoesToItsReader) {
  const auto result = fused("graph(a: f32[8,64]) { e = Exp(a); v = Reshape(e, shape=[512]); r = Relu(v); return e, r }");
  EXPECT_EQ(groups_of(result), "Exp Reshape+Relu");
}

TEST(Deduplication, EqualPiecesAreListedOnceWithTheirCount) {
  const auto result =
      fused("graph(a: f32[8,8], b: f32[8,8]) { e = Exp(a); t = Transpose(e, perm=[1,0]); f = Exp(t); return f, b }");
  const auto unique = deduplicate(result.operations);
  ASSERT_EQ(result.operations.size(), 3u);
  ASSERT_EQ(unique.size(), 2u);
  EXPECT_EQ(unique[0].count, 2);
  EXPECT_EQ(unique[1].count, 1);
}

TEST(CanFuse, NamesThePairOrThePathThatIsInTheWay) {
  const Graph graph =
      graph_of("graph(a: f32[8,8]) { e = Exp(a); t = Transpose(e, perm=[1,0]); s = Add(e, t); r = Relu(s); return r }");
  const auto nodes = [](std::initializer_list<std::uint32_t> ids) {
    std::vector<NodeId> list;
    for (auto id : ids) list.push_back(NodeId(id));
    return list;
  };
  EXPECT_TRUE(can_fuse(graph, nodes({2, 3}), {}).yes);
  EXPECT_NE(can_fuse(graph, nodes({0, 2}), {}).why_not.find("path through t"), std::string::npos);
  EXPECT_NE(can_fuse(graph, nodes({0, 3}), {}).why_not.find("not connected"), std::string::npos);
  EXPECT_NE(can_fuse(graph, nodes({1, 2}), {}).why_not.find("Transpose moves"), std::string::npos);
  EXPECT_NE(can_fuse(graph, nodes({9}), {}).why_not.find("no node 9"), std::string::npos);
  EXPECT_FALSE(can_fuse(graph, {}, {}).yes);
}

TEST(CanFuse, NamesABarrier) {
  const Graph graph = graph_of("graph(a: f32[8]) { o: f32[8] = Opaque:Print(a); r = Relu(o); return r }");
  const auto verdict = can_fuse(graph, std::vector<NodeId>{NodeId(0), NodeId(1)}, {});
  EXPECT_FALSE(verdict.yes);
  EXPECT_NE(verdict.why_not.find("Print"), std::string::npos) << verdict.why_not;
}

// C21's lists; its Softmax reads whole rows and is a reduction here.
TEST(OperatorAccess, TheElementWiseOperatorsOfTheDocumentAreElementWise) {
  for (const Op op : {Op::kAdd, Op::kSub, Op::kMul, Op::kDiv, Op::kRelu, Op::kSigmoid, Op::kTanh, Op::kLeakyRelu, Op::kExp,
                      Op::kLog, Op::kAbs, Op::kNeg, Op::kGelu, Op::kSwish}) {
    EXPECT_EQ(info_of(op).access, AccessPattern::kElementWise) << name_of(op);
  }
  EXPECT_EQ(info_of(Op::kSoftmax).access, AccessPattern::kReduction);
}

TEST(OptimizationLevels, EachLevelFusesAtLeastAsMuchAsTheOneBelow) {
  constexpr std::string_view text =
      "graph(x: f32[32,64], w: param f32[64,64], b: param f32[64]) { m = MatMul(x, w); s = Add(m, b); r = Relu(s); e = Exp(r); "
      "n = Softmax(e); return n }";
  const auto pieces = [&](OptimizationLevel level) { return groups_of(fused(text, options_for(level))); };
  EXPECT_EQ(pieces(OptimizationLevel::kO0), "MatMul Add Relu Exp Softmax");
  EXPECT_EQ(pieces(OptimizationLevel::kO1), "MatMul Add+Relu+Exp Softmax");
  EXPECT_EQ(pieces(OptimizationLevel::kO2), "MatMul+Add+Relu+Exp Softmax");
  EXPECT_EQ(pieces(OptimizationLevel::kO3), "MatMul+Add+Relu+Exp Softmax");
}

TEST(FusionPatternNames, ReadBackAndUnknownOnesListTheKnown) {
  for (int i = 0; i <= static_cast<int>(FusionPatternType::kOpaque); ++i) {
    const auto pattern = static_cast<FusionPatternType>(i);
    const auto parsed = parse_fusion_pattern(name_of(pattern));
    ASSERT_TRUE(parsed.ok());
    EXPECT_EQ(parsed.value(), pattern);
  }
  EXPECT_NE(parse_fusion_pattern("Conv").error().message.find("ConvActivation"), std::string::npos);
}

}  // namespace
}  // namespace fuselab
