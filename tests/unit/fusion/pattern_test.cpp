// SPDX-License-Identifier: Apache-2.0
#include "fusion_test_support.h"

namespace fuselab {
namespace {

using testing::fused;
using testing::graph_of;
using testing::groups_of;
using testing::reason_between;

constexpr std::string_view kAttention =
    "graph(q: f32[1,4,16,8], k: f32[1,4,16,8], v: f32[1,4,16,8], m: f32[1,1,16,16]) {"
    " c = Constant(value=0.125); kt = Transpose(k, perm=[0,1,3,2]); s = MatMul(q, kt); d = Mul(s, c); a = Add(d, m);"
    " p = Softmax(a); o = MatMul(p, v); return o }";

TEST(Patterns, AttentionWrittenOutIsOneGroup) {
  const auto result = fused(kAttention);
  ASSERT_EQ(result.operations.size(), 1u) << groups_of(result);
  EXPECT_EQ(result.operations[0].pattern, FusionPatternType::kAttention);
  EXPECT_TRUE(result.rejected.empty());
}

TEST(Patterns, AttentionIsLeftApartWhenItIsOffAndTheReasonSaysSo) {
  FusionOptions options;
  options.enable_attention_fusion = false;
  options.enable_transposed_operands = true;
  const auto result = fused(kAttention, options);
  EXPECT_EQ(groups_of(result), "Transpose+MatMul+Mul+Add Softmax MatMul");
  EXPECT_NE(reason_between(result, "p", "o").find("attention fusion is off"), std::string::npos)
      << reason_between(result, "p", "o");
}

// As exporters of BERT write it: [batch,1,seq] becomes [batch,1,1,seq] in front of the sum.
TEST(Patterns, AViewOfAMaskStaysOutsideOfTheAttention) {
  EXPECT_EQ(groups_of(fused("graph(q: f32[1,6,48,32], k: f32[1,6,48,32], v: f32[1,6,48,32], m: f32[1,1,48]) { "
                            "kt = Transpose(k, perm=[0,1,3,2]); s = MatMul(q, kt); u = Unsqueeze(m, axes=[2]); a = Add(s, u); "
                            "p = Softmax(a); y = MatMul(p, v); return y }")),
            "Unsqueeze Transpose+MatMul+Add+Softmax+MatMul");
  EXPECT_EQ(groups_of(fused("graph(q: f32[1,6,48,32], k: f32[1,6,48,32], v: f32[1,6,48,32], m: f32[48,48]) { "
                            "u = Unsqueeze(m, axes=[0,1]); o = Attention(q, k, v, u); return o }")),
            "Unsqueeze Attention");
}

TEST(Patterns, AttentionOperatorIsAnAttention) {
  const auto result = fused("graph(q: f32[1,4,16,8], k: f32[1,4,16,8], v: f32[1,4,16,8]) { o = Attention(q, k, v); return o }");
  ASSERT_EQ(result.operations.size(), 1u);
  EXPECT_EQ(result.operations[0].pattern, FusionPatternType::kAttention);
}

TEST(Patterns, AttentionWhoseWeightsAreReadElsewhereIsNotFused) {
  const auto result = fused(
      "graph(q: f32[4,16,8], k: f32[4,8,16], v: f32[4,16,8]) { s = MatMul(q, k); p = Softmax(s); o = MatMul(p, v); return o, p }");
  EXPECT_EQ(groups_of(result), "MatMul Softmax MatMul");
  EXPECT_NE(reason_between(result, "s", "p").find("holds only tiles"), std::string::npos) << reason_between(result, "s", "p");
}

TEST(Patterns, ConvolutionTakesBatchNormResidualAndActivation) {
  const auto result = fused(
      "graph(x: f32[1,8,14,14], w: param f32[8,8,3,3], g: param f32[8], b: param f32[8], mu: param f32[8], va: param f32[8],"
      " r: f32[1,8,14,14]) { c = Conv(x, w, pads=[1,1,1,1]); n = BatchNormalization(c, g, b, mu, va); s = Add(n, r);"
      " y = Relu(s); return y }");
  ASSERT_EQ(groups_of(result), "Conv+BatchNormalization+Add+Relu");
  EXPECT_EQ(result.operations[0].pattern, FusionPatternType::kConvBatchNorm);
}

TEST(Patterns, ConvolutionWithActivationAlone) {
  const auto result =
      fused("graph(x: f32[1,8,14,14], w: param f32[8,8,3,3]) { c = Conv(x, w, pads=[1,1,1,1]); y = Relu(c); return y }");
  ASSERT_EQ(groups_of(result), "Conv+Relu");
  EXPECT_EQ(result.operations[0].pattern, FusionPatternType::kConvActivation);
}

TEST(Patterns, ConvolutionOptionsAreObeyed) {
  constexpr std::string_view text =
      "graph(x: f32[1,8,14,14], w: param f32[8,8,3,3], g: param f32[8], b: param f32[8], mu: param f32[8], va: param f32[8]) {"
      " c = Conv(x, w, pads=[1,1,1,1]); n = BatchNormalization(c, g, b, mu, va); y = Relu(n); return y }";
  FusionOptions options;
  options.enable_batch_norm_folding = false;
  const auto result = fused(text, options);
  EXPECT_EQ(groups_of(result), "Conv BatchNormalization+Relu");
  EXPECT_NE(reason_between(result, "c", "n").find("folding is off"), std::string::npos);
  options = {};
  options.enable_conv_activation_fusion = false;
  const auto apart =
      fused("graph(x: f32[1,8,14,14], w: param f32[8,8,3,3]) { c = Conv(x, w, pads=[1,1,1,1]); y = Relu(c); return y }", options);
  EXPECT_EQ(groups_of(apart), "Conv Relu");
  EXPECT_NE(reason_between(apart, "c", "y").find("convolution-activation fusion is off"), std::string::npos);
}

TEST(Patterns, AggressivenessDecidesWhatMayJoin) {
  constexpr std::string_view text = "graph(x: f32[8,64]) { e = Exp(x); a = Abs(e); s = ReduceSum(a, axes=[-1]); return s }";
  FusionOptions options;
  options.aggressiveness = FusionAggressiveness::kConservative;
  const auto careful = fused(text, options);
  EXPECT_EQ(groups_of(careful), "Exp+Abs ReduceSum");
  EXPECT_NE(reason_between(careful, "a", "s").find("only element-wise operators"), std::string::npos);
  options.aggressiveness = FusionAggressiveness::kMedium;
  EXPECT_EQ(groups_of(fused(text, options)), "Exp+Abs+ReduceSum");
}

TEST(Patterns, LinearTakesBiasActivationAndResidual) {
  const auto result = fused(
      "graph(x: f32[16,32], w: param f32[32,64], b: param f32[64], r: f32[16,64]) { m = MatMul(x, w); s = Add(m, b); g = Gelu(s);"
      " y = Add(g, r); return y }");
  ASSERT_EQ(groups_of(result), "MatMul+Add+Gelu+Add");
  EXPECT_EQ(result.operations[0].pattern, FusionPatternType::kLinearActivation);
  EXPECT_EQ(
      groups_of(fused("graph(x: f32[16,32], w: param f32[32,64], b: param f32[64]) { m = Gemm(x, w, b); y = Relu(m); return y }")),
      "Gemm+Relu");
}

TEST(Patterns, SwappedOperandBelongsToItsMatMulWhereThatIsGenerated) {
  const std::string_view text =
      "graph(x: f32[16,32], w: param f32[64,32]) { t = Transpose(w, perm=[1,0]); m = MatMul(x, t); return m }";
  EXPECT_EQ(groups_of(fused(text)), "Transpose MatMul") << "a piece that no backend generates would not be measured at all";
  FusionOptions options;
  options.enable_transposed_operands = true;
  EXPECT_EQ(groups_of(fused(text, options)), "Transpose+MatMul");
}

// As ONNX writes a LayerNormalization out: the variance as the mean of squares less the square of the mean.
TEST(Patterns, NormWrittenOutAsOnnxDoesIsOnePiece) {
  const std::string text =
      "graph(x: f32[8,64], g: param f32[64], b: param f32[64]) { m = ReduceMean(x, axes=[1]); q = Mul(x, x); "
      "s = ReduceMean(q, axes=[1]); mm = Mul(m, m); v = Sub(s, mm); eps = Constant(value=1e-5); ve = Add(v, eps); d = Sqrt(ve); "
      "c = Sub(x, m); n = Div(c, d); y = Mul(n, g); z = Add(y, b); return z }";
  const auto result = fused(text);
  ASSERT_EQ(result.operations.size(), 1U) << groups_of(result);
  EXPECT_EQ(result.operations[0].pattern, FusionPatternType::kNormalization);
  EXPECT_EQ(fused("graph(x: f32[8,64]) { m = ReduceMean(x, axes=[1]); q = Mul(x, x); s = ReduceMean(q, axes=[1]); v = Sub(s, m); "
                  "d = Sqrt(v); c = Sub(x, m); n = Div(c, d); return n }")
                .operations[0]
                .pattern,
            FusionPatternType::kReductionThenElementWise)
      << "what is no variance is no norm";
}

// With two behind it the general kernel of last resort would take the product, 160 times slower (a vision transformer of
// PyTorch's).
TEST(Patterns, OnlyOneViewEndsAPiece) {
  EXPECT_EQ(groups_of(fused("graph(x: f32[8,16], w: param f32[16,32]) { m = MatMul(x, w); r = Reshape(m, shape=[8,4,8]); "
                            "u = Unsqueeze(r, axes=[0]); return u }")),
            "MatMul+Reshape Unsqueeze");
  EXPECT_EQ(groups_of(fused("graph(x: f32[8,16], w: param f32[16,32]) { m = MatMul(x, w); r = Reshape(m, shape=[8,4,8]); "
                            "u = Unsqueeze(r, axes=[0]); t = Transpose(u, perm=[0,2,1,3]); return t }")),
            "MatMul+Reshape Unsqueeze+Transpose");
}

TEST(Patterns, ContractionsDoNotShareAKernel) {
  const auto result = fused(
      "graph(x: f32[16,32], w: param f32[32,32], v: param f32[32,32]) { a = MatMul(x, w); r = Relu(a); b = MatMul(r, v); return b "
      "}");
  EXPECT_EQ(groups_of(result), "MatMul+Relu MatMul");
  EXPECT_NE(reason_between(result, "r", "b").find("one contraction"), std::string::npos);
}

TEST(Patterns, WorkBeforeAContractionIsNotComputedAnewPerTile) {
  const auto result = fused("graph(x: f32[16,32], w: param f32[32,32]) { r = Relu(x); b = MatMul(r, w); return b }");
  EXPECT_EQ(groups_of(result), "Relu MatMul");
  EXPECT_NE(reason_between(result, "r", "b").find("anew for every tile"), std::string::npos);
}

TEST(Patterns, LayerNormWrittenOutIsOneNormalization) {
  const auto result = fused(
      "graph(x: f32[8,64], g: param f32[64], b: param f32[64]) { two = Constant(value=2.0); eps = Constant(value=1e-5);"
      " m = ReduceMean(x, axes=[-1]); d = Sub(x, m); q = Pow(d, two); v = ReduceMean(q, axes=[-1]); e = Add(v, eps); r = Sqrt(e);"
      " n = Div(d, r); h = Mul(n, g); y = Add(h, b); return y }");
  ASSERT_EQ(result.operations.size(), 1u) << groups_of(result);
  EXPECT_EQ(result.operations[0].pattern, FusionPatternType::kNormalization);
}

TEST(Patterns, RmsNormWrittenOutWithResidualWritesSumAndNorm) {
  const auto result = fused(
      "graph(x: f32[8,64], s: f32[8,64], g: param f32[64]) { two = Constant(value=2.0); eps = Constant(value=1e-5); one = "
      "Constant(value=1.0);"
      " z = Add(x, s); q = Pow(z, two); v = ReduceMean(q, axes=[-1]); e = Add(v, eps); r = Sqrt(e); i = Div(one, r); n = Mul(z, i);"
      " y = Mul(n, g); return z, y }");
  ASSERT_EQ(result.operations.size(), 1u) << groups_of(result);
  EXPECT_EQ(result.operations[0].pattern, FusionPatternType::kResidualNorm);
  EXPECT_EQ(result.operations[0].graph.outputs().size(), 2u);
}

TEST(Patterns, NormOperatorsWithAndWithoutResidual) {
  const auto plain = fused("graph(x: f32[8,64], g: param f32[64]) { y = RMSNormalization(x, g); return y }");
  EXPECT_EQ(plain.operations.at(0).pattern, FusionPatternType::kNormalization);
  const auto residual = fused(
      "graph(x: f32[8,64], s: f32[8,64], g: param f32[64], b: param f32[64]) { z = Add(x, s); y = LayerNormalization(z, g, b); "
      "return z, y }");
  EXPECT_EQ(groups_of(residual), "Add+LayerNormalization");
  EXPECT_EQ(residual.operations.at(0).pattern, FusionPatternType::kResidualNorm);
}

TEST(Patterns, SoftmaxWrittenOutAndAsOperator) {
  const auto written = fused(
      "graph(x: f32[8,64]) { m = ReduceMax(x, axes=[-1]); d = Sub(x, m); e = Exp(d); s = ReduceSum(e, axes=[-1]); y = Div(e, s); "
      "return y }");
  ASSERT_EQ(written.operations.size(), 1u);
  EXPECT_EQ(written.operations[0].pattern, FusionPatternType::kSoftmax);
  EXPECT_EQ(fused("graph(x: f32[8,64]) { y = Softmax(x); return y }").operations.at(0).pattern, FusionPatternType::kSoftmax);
}

TEST(Patterns, SoftmaxAlongAnotherAxisStaysAloneWithItsReason) {
  const auto result = fused("graph(x: f32[8,64]) { e = Exp(x); y = Softmax(e, axis=0); return y }");
  EXPECT_EQ(groups_of(result), "Exp Softmax");
  EXPECT_NE(reason_between(result, "e", "y").find("axes [0] of [8,64]"), std::string::npos) << reason_between(result, "e", "y");
}

TEST(Patterns, RotaryEmbeddingWrittenOutWithSliceAndWithSplit) {
  const auto sliced = fused(
      "graph(x: f32[1,4,16,8], c: f32[16,8], s: f32[16,8]) { a = Slice(x, starts=[0], ends=[4], axes=[3]);"
      " b = Slice(x, starts=[4], ends=[8], axes=[3]); n = Neg(b); r = Concat(n, a, axis=-1); p = Mul(x, c); q = Mul(r, s); y = "
      "Add(p, q);"
      " return y }");
  ASSERT_EQ(sliced.operations.size(), 1u) << groups_of(sliced);
  EXPECT_EQ(sliced.operations[0].pattern, FusionPatternType::kRotaryEmbedding);
  const auto split = fused(
      "graph(x: f32[1,4,16,8], c: f32[16,8], s: f32[16,8]) { a, b = Split(x, axis=-1, num_outputs=2); n = Neg(b);"
      " r = Concat(n, a, axis=-1); p = Mul(x, c); q = Mul(r, s); y = Add(p, q); return y }");
  ASSERT_EQ(split.operations.size(), 1u) << groups_of(split);
  EXPECT_EQ(split.operations[0].pattern, FusionPatternType::kRotaryEmbedding);
}

TEST(Patterns, ReductionThenElementWiseKeepsItsName) {
  const auto result = fused("graph(x: f32[8,64]) { s = ReduceSum(x, axes=[-1]); r = Relu(s); return r }");
  ASSERT_EQ(groups_of(result), "ReduceSum+Relu");
  EXPECT_EQ(result.operations[0].pattern, FusionPatternType::kReductionThenElementWise);
}

TEST(Patterns, ElementWiseBeforeAReductionIsMixed) {
  const auto result = fused("graph(x: f32[8,64]) { a = Abs(x); s = ReduceSum(a, axes=[-1]); return s }");
  ASSERT_EQ(groups_of(result), "Abs+ReduceSum");
  EXPECT_EQ(result.operations[0].pattern, FusionPatternType::kMixed);
}

TEST(Patterns, RowsOfOtherLengthAreNotMixed) {
  const auto result = fused("graph(x: f32[8,64], z: f32[8,32]) { s = ReduceSum(x, axes=[-1]); y = Mul(z, s); return y }");
  EXPECT_EQ(groups_of(result), "ReduceSum Mul");
  EXPECT_NE(reason_between(result, "s", "y").find("one iteration space"), std::string::npos);
}

TEST(Patterns, GatherPoolsAndMovementStayAloneWithTheirReasons) {
  const auto result = fused(
      "graph(x: f32[1,8,14,14]) { r = Relu(x); p = MaxPool(r, kernel_shape=[2,2], strides=[2,2]); e = Exp(p); g = "
      "GlobalAveragePool(e);"
      " return g }");
  EXPECT_EQ(groups_of(result), "Relu MaxPool Exp GlobalAveragePool");
  for (const auto& rejected : result.rejected) EXPECT_NE(rejected.reason.find("windows"), std::string::npos) << rejected.reason;
}

TEST(Patterns, OpaqueOperatorsAreBarriersAndLowerTheCoveredShare) {
  const auto result =
      fused("graph(x: f32[8,64]) { a = Abs(x); o: f32[8,64] = Opaque:MyOp(a); r = Relu(o); t = Tanh(r); return t }");
  ASSERT_EQ(result.operations.size(), 3u);
  EXPECT_EQ(result.operations[1].pattern, FusionPatternType::kOpaque);
  EXPECT_DOUBLE_EQ(result.covered_share, 0.75);
  EXPECT_NE(reason_between(result, "a", "o").find("MyOp"), std::string::npos);
}

TEST(Patterns, PiecesAreNamedAfterTheirContractionOrCommonPath) {
  Graph graph = graph_of(
      "graph(x: f32[16,32], w: param f32[32,32], g: param f32[32]) { m = MatMul(x, w); a = Add(m, x); n = RMSNormalization(a, g); "
      "return n }");
  graph.node(NodeId(0)).name = "/block/out_proj/MatMul";
  graph.node(NodeId(1)).name = "/residual/Add";
  graph.node(NodeId(2)).name = "/block/norm/RMSNormalization";
  const auto result = fused(graph);
  ASSERT_EQ(result.operations.size(), 2u);
  EXPECT_EQ(result.operations[0].name, "block/out_proj/MatMul+Add");
  EXPECT_EQ(result.operations[1].name, "block/norm/RMSNormalization");
}

TEST(Patterns, SymbolicShapesFuseLikeConcreteOnes) {
  const auto result = fused(
      "graph(x: f32[batch,seq,64], s: f32[batch,seq,64], g: param f32[64]) { z = Add(x, s); y = RMSNormalization(z, g); return z, "
      "y }");
  ASSERT_EQ(result.operations.size(), 1u);
  EXPECT_EQ(result.operations[0].cost.flops, 0);
}

// A graph cut while its extents are open falls into the pieces that it falls into once they are known.
TEST(Patterns, SymbolsAreCutAsTheirExtentsAre) {
  const Graph open = graph_of(
      "graph(x: f32[batch,seq,64], w: param f32[64,128], b: param f32[128]) { h = MatMul(x, w); s = Add(h, b); r = Relu(s); "
      "p = Softmax(r); t = Transpose(p, perm=[0,2,1]); e = Exp(t); n = Neg(e); return n }");
  const Graph bound = fuselab::bind(open, {{"batch", 2}, {"seq", 32}}).value();
  const auto of_open = fuse(open, {}).value(), of_bound = fuse(bound, {}).value();
  ASSERT_EQ(of_open.operations.size(), of_bound.operations.size());
  for (std::size_t i = 0; i < of_open.operations.size(); ++i) {
    EXPECT_EQ(of_open.operations[i].nodes, of_bound.operations[i].nodes);
    EXPECT_EQ(of_open.operations[i].pattern, of_bound.operations[i].pattern);
  }
}

}  // namespace
}  // namespace fuselab
