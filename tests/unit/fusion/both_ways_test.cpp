// SPDX-License-Identifier: Apache-2.0
// What exporters write as one operator or as several is one piece either way, of the same pattern where patterns have names, and
// computes the same; what only looks like it is not taken for it.
#include <cmath>

#include "core/reference/reference.h"
#include "core/tensor/tensor.h"
#include "fusion_test_support.h"

namespace fuselab {
namespace {

using testing::fused;
using testing::graph_of;
using testing::groups_of;

struct Ways {
  const char* name;
  const char* whole;
  const char* written_out;
  const char* pattern;  // of what is written out
};

void PrintTo(const Ways& ways, std::ostream* out) {
  *out << ways.name;
}

class BothWays : public ::testing::TestWithParam<Ways> {};

TEST_P(BothWays, AreOnePieceThatComputesTheSame) {
  const Graph whole = graph_of(GetParam().whole);
  const Graph written_out = graph_of(GetParam().written_out);
  EXPECT_EQ(fused(whole).operations.size(), 1U) << groups_of(fused(whole));
  const FusionResult result = fused(written_out);
  ASSERT_EQ(result.operations.size(), 1U) << groups_of(result);
  EXPECT_EQ(name_of(result.operations[0].pattern), GetParam().pattern);
  const auto inputs = make_inputs(whole, {});
  const auto expected = evaluate_reference(whole, inputs);
  const auto actual = evaluate_reference(written_out, inputs);
  ASSERT_TRUE(expected.ok() && actual.ok());
  for (std::size_t i = 0; i < expected.value().front().data.size(); ++i) {
    const double wanted = expected.value().front().data[i];
    // Constants are written with f32's digits.
    EXPECT_NEAR(actual.value().front().data[i], wanted, 1e-6 + 1e-6 * std::fabs(wanted)) << i;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Of, BothWays,
    ::testing::Values(
        Ways{"Gelu", "graph(x: f32[8,64]) { y = Gelu(x); return y }",
             "graph(x: f32[8,64]) { h = Constant(value=0.5); one = Constant(value=1.0); r = Constant(value=1.4142135623730951);"
             " d = Div(x, r); e = Erf(d); a = Add(e, one); m = Mul(x, a); y = Mul(m, h); return y }",
             "ElementWise"},
        Ways{"GeluByTanh", "graph(x: f32[8,64]) { y = Gelu(x, approximate=\"tanh\"); return y }",
             "graph(x: f32[8,64]) { h = Constant(value=0.5); one = Constant(value=1.0); three = Constant(value=3.0);"
             " c = Constant(value=0.044715); k = Constant(value=0.7978845608028654); p = Pow(x, three); q = Mul(p, c);"
             " s = Add(x, q); t = Mul(s, k); u = Tanh(t); a = Add(u, one); m = Mul(x, a); y = Mul(m, h); return y }",
             "ElementWise"},
        Ways{"Swish", "graph(x: f32[8,64]) { y = Swish(x); return y }",
             "graph(x: f32[8,64]) { s = Sigmoid(x); y = Mul(x, s); return y }", "ElementWise"},
        Ways{
            "Sigmoid", "graph(x: f32[8,64]) { y = Sigmoid(x); return y }",
            "graph(x: f32[8,64]) { one = Constant(value=1.0); n = Neg(x); e = Exp(n); a = Add(one, e); y = Div(one, a); return y }",
            "ElementWise"},
        Ways{"LeakyRelu", "graph(x: f32[8,64]) { y = LeakyRelu(x, alpha=0.125); return y }",
             "graph(x: f32[8,64]) { c = Constant(value=0.125); m = Mul(x, c); y = Max(x, m); return y }", "ElementWise"},
        Ways{"Clip", "graph(x: f32[8,64]) { y = Clip(x, min=-0.5, max=0.25); return y }",
             "graph(x: f32[8,64]) { a = Constant(value=-0.5); b = Constant(value=0.25); m = Max(x, a); y = Min(m, b); return y }",
             "ElementWise"},
        Ways{"SwiGlu", "graph(g: f32[8,64], u: f32[8,64]) { s = Swish(g); y = Mul(s, u); return y }",
             "graph(g: f32[8,64], u: f32[8,64]) { i = Sigmoid(g); s = Mul(g, i); y = Mul(s, u); return y }", "SwiGLU"},
        Ways{"Softmax", "graph(x: f32[8,64]) { y = Softmax(x); return y }",
             "graph(x: f32[8,64]) { m = ReduceMax(x, axes=[-1]); d = Sub(x, m); e = Exp(d); s = ReduceSum(e, axes=[1]);"
             " y = Div(e, s); return y }",
             "Softmax"},
        Ways{"LogSoftmax", "graph(x: f32[8,64]) { y = LogSoftmax(x); return y }",
             "graph(x: f32[8,64]) { m = ReduceMax(x, axes=[-1]); d = Sub(x, m); e = Exp(d); s = ReduceSum(e, axes=[-1]);"
             " g = Log(s); y = Sub(d, g); return y }",
             "Softmax"},
        Ways{"LayerNorm", "graph(x: f32[8,64], g: param f32[64], b: param f32[64]) { y = LayerNormalization(x, g, b); return y }",
             "graph(x: f32[8,64], g: param f32[64], b: param f32[64]) { eps = Constant(value=1e-5); m = ReduceMean(x, axes=[-1]);"
             " d = Sub(x, m); q = Mul(d, d); v = ReduceMean(q, axes=[-1]); e = Add(v, eps); r = Sqrt(e); n = Div(d, r);"
             " h = Mul(n, g); y = Add(h, b); return y }",
             "Normalization"},
        Ways{"RmsNorm", "graph(x: f32[8,64], g: param f32[64]) { y = RMSNormalization(x, g); return y }",
             "graph(x: f32[8,64], g: param f32[64]) { eps = Constant(value=1e-5); two = Constant(value=2.0); q = Pow(x, two);"
             " v = ReduceMean(q, axes=[-1]); e = Add(v, eps); r = Sqrt(e); i = Reciprocal(r); n = Mul(x, i); y = Mul(n, g);"
             " return y }",
             "Normalization"},
        Ways{"RmsNormByPower", "graph(x: f32[8,64], g: param f32[64]) { y = RMSNormalization(x, g); return y }",
             "graph(x: f32[8,64], g: param f32[64]) { eps = Constant(value=1e-5); p = Constant(value=-0.5); q = Mul(x, x);"
             " v = ReduceMean(q, axes=[-1]); e = Add(v, eps); i = Pow(e, p); n = Mul(i, x); y = Mul(n, g); return y }",
             "Normalization"},
        Ways{"Gemm", "graph(x: f32[8,16], w: param f32[16,32], b: param f32[32]) { y = Gemm(x, w, b); return y }",
             "graph(x: f32[8,16], w: param f32[16,32], b: param f32[32]) { m = MatMul(x, w); y = Add(m, b); return y }",
             "LinearActivation"},
        Ways{"Attention",
             "graph(q: f32[1,4,16,8], k: f32[1,4,16,8], v: f32[1,4,16,8]) { y = Attention(q, k, v, scale=0.25); return y }",
             "graph(q: f32[1,4,16,8], k: f32[1,4,16,8], v: f32[1,4,16,8]) { c = Constant(value=0.25);"
             " t = Transpose(k, perm=[0,1,3,2]); s = MatMul(q, t); d = Mul(s, c); p = Softmax(d); y = MatMul(p, v); return y }",
             "Attention"}),
    [](const auto& given) { return given.param.name; });

// The pattern of the only piece, or how many pieces there are.
std::string pattern_of(std::string_view text) {
  const FusionResult result = fused(text);
  if (result.operations.size() != 1) return std::to_string(result.operations.size()) + " pieces";
  return std::string(name_of(result.operations[0].pattern));
}

TEST(NearMisses, OfASoftmax) {
  const std::string head = "graph(x: f32[8,64]) { m = ReduceMax(x, axes=[-1]); d = Sub(x, m); e = Exp(d); ";
  EXPECT_EQ(pattern_of(head + "s = ReduceMax(e, axes=[-1]); y = Div(e, s); return y }"), "ReductionThenElementWise");
  EXPECT_EQ(pattern_of(head + "s = ReduceSum(e, axes=[-1]); y = Div(d, s); return y }"), "ReductionThenElementWise");
  EXPECT_EQ(pattern_of(head + "s = ReduceSum(e, axes=[-1]); y = Div(s, e); return y }"), "ReductionThenElementWise");
  EXPECT_EQ(pattern_of(head + "s = ReduceSum(e, axes=[-1]); g = Log(s); y = Sub(x, g); return y }"), "ReductionThenElementWise");
  EXPECT_EQ(pattern_of(head + "s = ReduceSum(e, axes=[-1]); g = Log(s); y = Sub(g, d); return y }"), "ReductionThenElementWise");
}

TEST(NearMisses, OfANorm) {
  const std::string head =
      "graph(x: f32[8,64], g: f32[8,64]) { eps = Constant(value=1e-5); three = Constant(value=3.0); half = Constant(value=0.5);"
      " m = ReduceMean(x, axes=[-1]); d = Sub(x, m); ";
  const auto of = [&](const std::string& rest) { return pattern_of(head + rest); };
  ASSERT_EQ(of("q = Mul(d, d); v = ReduceMean(q, axes=[-1]); e = Add(v, eps); r = Sqrt(e); y = Div(d, r); return y }"),
            "Normalization");
  EXPECT_EQ(of("q = Pow(d, three); v = ReduceMean(q, axes=[-1]); e = Add(v, eps); r = Sqrt(e); y = Div(d, r); return y }"),
            "ReductionThenElementWise");
  EXPECT_EQ(of("q = Mul(d, d); v = ReduceSum(q, axes=[-1]); e = Add(v, eps); r = Sqrt(e); y = Div(d, r); return y }"),
            "ReductionThenElementWise");
  EXPECT_EQ(of("q = Mul(d, d); v = ReduceMean(q, axes=[-1]); e = Add(v, eps); r = Pow(e, half); y = Mul(d, r); return y }"),
            "ReductionThenElementWise");
  EXPECT_EQ(of("q = Mul(d, d); v = ReduceMean(q, axes=[-1]); e = Add(v, eps); r = Sqrt(e); y = Div(x, r); return y }"),
            "ReductionThenElementWise");
}

TEST(NearMisses, OfARotaryEmbedding) {
  const std::string tail = " p = Mul(x, c); q = Mul(r, s); y = Add(p, q); return y }";
  const std::string head = "graph(x: f32[1,4,16,8], c: f32[16,8], s: f32[16,8]) { ";
  const auto of = [&](const std::string& halves) { return pattern_of(head + halves + tail); };
  const std::string first = "a = Slice(x, starts=[0], ends=[4], axes=[3]); ";
  ASSERT_EQ(of(first + "b = Slice(x, starts=[4], ends=[8], axes=[3]); n = Neg(b); r = Concat(n, a, axis=-1);"), "RotaryEmbedding");
  EXPECT_NE(of(first + "b = Slice(x, starts=[3], ends=[7], axes=[3]); n = Neg(b); r = Concat(n, a, axis=-1);"), "RotaryEmbedding");
  EXPECT_NE(of(first + "b = Slice(x, starts=[4], ends=[8], axes=[3]); n = Neg(b); r = Concat(a, n, axis=-1);"), "RotaryEmbedding");
  EXPECT_NE(of(first + "b = Slice(x, starts=[4], ends=[8], axes=[3]); n = Abs(b); r = Concat(n, a, axis=-1);"), "RotaryEmbedding");
}

TEST(NearMisses, OfAnAttention) {
  const std::string head = "graph(q: f32[4,16,8], k: f32[4,8,16], v: f32[4,16,16]) { s = MatMul(q, k); ";
  ASSERT_EQ(pattern_of(head + "p = Softmax(s); o = MatMul(p, v); return o }"), "Attention");
  EXPECT_EQ(pattern_of(head + "p = Softmax(s, axis=1); o = MatMul(p, v); return o }"), "3 pieces");
  EXPECT_EQ(pattern_of(head + "p = Softmax(s); o = MatMul(v, p); return o }").find("Attention"), std::string::npos);
  EXPECT_EQ(pattern_of(head + "p = Softmax(s); o = MatMul(p, v); return o, s }"), "3 pieces");
  EXPECT_EQ(pattern_of(head + "a = Exp(s); p = Softmax(a); o = MatMul(p, v); return o }"), "3 pieces");
  EXPECT_EQ(pattern_of(head + "a = Cast(s, to=\"f64\"); p = Softmax(a); b = Cast(p, to=\"f32\"); o = MatMul(b, v); return o }")
                .find("Attention"),
            std::string::npos);
  EXPECT_EQ(
      pattern_of("graph(q: f32[1,16,8], k: f32[1,8,16], v: f32[4,16,16]) { s = MatMul(q, k); p = Softmax(s); o = MatMul(p, v);"
                 " return o }"),
      "3 pieces");
  EXPECT_EQ(pattern_of("graph(q: i32[4,16,8], k: i32[4,8,16], v: f32[4,16,16]) { s = MatMul(q, k); f = Cast(s, to=\"f32\");"
                       " p = Softmax(f); o = MatMul(p, v); return o }")
                .find("Attention"),
            std::string::npos);
}

TEST(NearMisses, OfAnAttentionWhoseMasksNoKernelReadsLeaveThemToTheSoftmax) {
  const auto pieces = fused(
      "graph(q: f32[4,16,8], k: f32[4,8,16], v: f32[4,16,16], m: f32[16,16], o: f32[4,1,16]) { s = MatMul(q, k); d = Add(s, m);"
      " c = Constant(value=0.5); e = Mul(d, c); f = Add(e, o); p = Softmax(f); y = MatMul(p, v); return y }");
  EXPECT_EQ(groups_of(pieces).find("Softmax+MatMul"), std::string::npos) << groups_of(pieces);
  EXPECT_LE(pieces.operations.size(), 3U) << groups_of(pieces);
}

TEST(NearMisses, OfASwiGlu) {
  const std::string head = "graph(g: f32[8,64], u: f32[8,64]) { ";
  ASSERT_EQ(pattern_of(head + "i = Sigmoid(g); s = Mul(g, i); y = Mul(s, u); return y }"), "SwiGLU");
  EXPECT_EQ(pattern_of(head + "i = Sigmoid(u); s = Mul(g, i); y = Mul(s, u); return y }"), "ElementWise");
  EXPECT_EQ(pattern_of(head + "i = Sigmoid(g); s = Mul(g, i); y = Add(s, u); return y }"), "ElementWise");
  EXPECT_EQ(pattern_of(head + "i = Sigmoid(g); s = Mul(g, i); y = Mul(s, u); return y, i }"), "ElementWise");
}

}  // namespace
}  // namespace fuselab
