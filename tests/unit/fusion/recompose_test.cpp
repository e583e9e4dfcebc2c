// SPDX-License-Identifier: Apache-2.0
// Operators that a graph writes out: read as one where they compute the same, and left as they are where anything differs.
#include "core/fusion/written_out/recompose.h"

#include <cmath>

#include "core/reference/reference.h"
#include "core/tensor/tensor.h"
#include "fusion_test_support.h"

namespace fuselab {
namespace {

using ::fuselab::testing::graph_of;

// The text of the graph with its written-out operators as one each; "as it is" where there is none.
std::string recomposed(std::string_view text) {
  const auto made = recompose(graph_of(text));
  return made ? canonical_text(made->graph) : "as it is";
}

struct WrittenOutCase {
  const char* name;
  std::string written_out;
  std::string whole;
};

void PrintTo(const WrittenOutCase& pair, std::ostream* out) {
  *out << pair.name;
}

const std::string kPowersAlongOne = "m = ReduceMax(x, axes=[1]); d = Sub(x, m); e = Exp(d); s = ReduceSum(e, axes=[1]); ";
const std::string kLossesIgnoring =
    "graph(x: f32[3,5,2], l: i64[3,2], w: f32[5]) { zero = Constant(value=0.0); one = Constant(value=1.0);"
    " i = Constant(dtype=\"i64\", value=1); u = Unsqueeze(l, axes=[1]); o = Sub(u, u); m = Equal(u, i); t = Where(m, o, u);"
    " g = GatherElements(x, t, axis=1); c = Where(m, zero, g); n = Neg(c); f = Slice(n, axes=[1], starts=[0], ends=[1]);"
    " p = Squeeze(f, axes=[1]); ";
const std::string kRotated =
    "cg = Gather(c, i); sg = Gather(s, i); cs = Slice(cg, axes=[2], starts=[0], ends=[2]); cu = Unsqueeze(cs, axes=[2]);"
    " su = Unsqueeze(sg, axes=[2]); a, b = Split(h, axis=-1, num_outputs=2); ca = Mul(cu, a); sb = Mul(su, b); r = Sub(ca, sb);"
    " sa = Mul(su, a); cb = Mul(cu, b); j = Add(sa, cb);";
const std::string kNormOfTwo = "graph(x: f32[2,3,4], g: f32[3,4], b: f32[4]) { eps = Constant(value=0.01); ";
const std::string kLosses =
    "graph(x: f32[3,5,2], l: i64[3,2], w: f32[5]) { u = Unsqueeze(l, axes=[1]); g = GatherElements(x, u, axis=1); n = Neg(g);"
    " p = Squeeze(n, axes=[1]); ";
const std::string kWeighted = "a = Gather(w, t); b = Where(m, zero, a); k = Squeeze(b, axes=[1]); y = Mul(p, k); ";
const std::string kClassesLast =
    "graph(x: f32[3,5,2,2], l: i64[3,2,2]) { a = Reshape(x, shape=[0,0,-1]); b = Transpose(a, perm=[0,2,1]); ";
const std::string kClassesBack = "d = Transpose(c, perm=[0,2,1]); e = Reshape(d, shape=[3,5,2,2]); ";

class WrittenOutOperators : public ::testing::TestWithParam<WrittenOutCase> {};

TEST_P(WrittenOutOperators, AreThatOperatorAndComputeTheSame) {
  const Graph written_out = graph_of(GetParam().written_out);
  const auto made = recompose(written_out);
  ASSERT_TRUE(made.has_value());
  EXPECT_EQ(canonical_text(made->graph), canonical_text(graph_of(GetParam().whole)));
  // Labels are classes where an operator asks for them.
  const auto inputs = make_inputs(made->graph, {});
  const auto expected = evaluate_reference(written_out, inputs);
  const auto actual = evaluate_reference(made->graph, inputs);
  ASSERT_TRUE(expected.ok() && actual.ok());
  ASSERT_EQ(actual.value().front().data.size(), expected.value().front().data.size());
  for (std::size_t i = 0; i < expected.value().front().data.size(); ++i) {
    const double wanted = expected.value().front().data[i];
    EXPECT_NEAR(actual.value().front().data[i], wanted, 1e-6 * std::fabs(wanted)) << i;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Of, WrittenOutOperators,
    ::testing::Values(
        WrittenOutCase{"GreaterOrEqual",
                       "graph(a: f32[7,3], b: f32[3]) { g = Greater(a, b); e = Equal(b, a); y = Or(e, g); return y }",
                       "graph(a: f32[7,3], b: f32[3]) { y = GreaterOrEqual(a, b); return y }"},
        WrittenOutCase{"LessOrEqual", "graph(a: i32[7], b: i32[7]) { g = Less(a, b); e = Equal(a, b); y = Or(g, e); return y }",
                       "graph(a: i32[7], b: i32[7]) { y = LessOrEqual(a, b); return y }"},
        WrittenOutCase{"Softmax", "graph(x: f32[2,3,4]) { " + kPowersAlongOne + "y = Div(e, s); return y }",
                       "graph(x: f32[2,3,4]) { y = Softmax(x, axis=1); return y }"},
        WrittenOutCase{"LogSoftmax", "graph(x: f32[2,3,4]) { " + kPowersAlongOne + "g = Log(s); y = Sub(d, g); return y }",
                       "graph(x: f32[2,3,4]) { y = LogSoftmax(x, axis=1); return y }"},
        WrittenOutCase{"RmsNormOverTwoAxes",
                       kNormOfTwo + "q = Mul(x, x); m = ReduceMean(q, axes=[1,2]); v = Add(m, eps); r = Sqrt(v); n = Div(x, r);"
                                    " y = Mul(n, g); return y }",
                       "graph(x: f32[2,3,4], g: f32[3,4]) { y = RMSNormalization(x, g, axis=1, epsilon=0.01); return y }"},
        WrittenOutCase{"RmsNormOverAll",
                       "graph(x: f32[3,4], g: f32[3,4]) { two = Constant(value=2.0); q = Pow(x, two); m = ReduceMean(q);"
                       " r = Sqrt(m); i = Reciprocal(r); n = Mul(i, x); y = Mul(g, n); return y }",
                       "graph(x: f32[3,4], g: f32[3,4]) { y = RMSNormalization(x, g, axis=0, epsilon=0.0); return y }"},
        WrittenOutCase{"LayerNormOverTwoAxes",
                       kNormOfTwo + "a = ReduceMean(x, axes=[-1,-2]); d = Sub(x, a); q = Mul(d, d); m = ReduceMean(q, axes=[1,2]);"
                                    " v = Add(m, eps); r = Sqrt(v); n = Div(d, r); s = Mul(n, g); y = Add(s, b); return y }",
                       "graph(x: f32[2,3,4], g: f32[3,4], b: f32[4]) { y = LayerNormalization(x, g, b, axis=1, epsilon=0.01);"
                       " return y }"},
        WrittenOutCase{"RotaryEmbeddingOfPartOfEachHead",
                       "graph(x: f32[2,4,3,8], c: f32[50,2], s: f32[50,2], i: i64[2,3]) { t = Transpose(x, perm=[0,2,1,3]);"
                       " h, k = Split(t, axis=-1, split=[4,4]); " +
                           kRotated +
                           " m = Concat(r, j, axis=-1); w = Concat(m, k, axis=-1); u = Transpose(w, perm=[0,2,1,3]);"
                           " y = Reshape(u, shape=[2,4,3,8]); return y }",
                       "graph(x: f32[2,4,3,8], c: f32[50,2], s: f32[50,2], i: i64[2,3]) {"
                       " y = RotaryEmbedding(x, c, s, i, rotary_embedding_dim=4); return y }"},
        WrittenOutCase{"RotaryEmbeddingOfNeighbours",
                       "graph(x: f32[2,3,16], c: f32[2,3,2], s: f32[2,3,2]) { h = Reshape(x, shape=[0,0,4,-1]);"
                       " cu = Unsqueeze(c, axes=[2]); su = Unsqueeze(s, axes=[2]);"
                       " a = Slice(h, axes=[3], starts=[0], ends=[4], steps=[2]);"
                       " b = Slice(h, axes=[3], starts=[1], ends=[5], steps=[2]);"
                       " ca = Mul(a, cu); sb = Mul(su, b); r = Sub(ca, sb); sa = Mul(su, a); cb = Mul(b, cu); j = Add(cb, sa);"
                       " ru = Unsqueeze(r, axes=[-1]); ju = Unsqueeze(j, axes=[-1]); m = Concat(ru, ju, axis=-1);"
                       " w = Reshape(m, shape=[2,3,4,4]); y = Reshape(w, shape=[2,3,16]); return y }",
                       "graph(x: f32[2,3,16], c: f32[2,3,2], s: f32[2,3,2]) {"
                       " y = RotaryEmbedding(x, c, s, interleaved=1, num_heads=4); return y }"},
        WrittenOutCase{"ClipFromBelow",
                       "graph(x: f32[5]) { a = Constant(value=-0.5); c = Less(x, a); y = Where(c, a, x); return y }",
                       "graph(x: f32[5]) { y = Clip(x, min=-0.5); return y }"},
        WrittenOutCase{"ClipFromAbove",
                       "graph(x: f32[5]) { b = Constant(value=0.25); c = GreaterOrEqual(x, b); y = Where(c, b, x); return y }",
                       "graph(x: f32[5]) { y = Clip(x, max=0.25); return y }"},
        WrittenOutCase{"ClipToBoundsThatAreComputed",
                       "graph(x: f32[5], a: f32[], b: f32[]) { c = Less(x, a); m = Where(c, a, x); d = Less(b, m);"
                       " y = Where(d, b, m); return y }",
                       "graph(x: f32[5], a: f32[], b: f32[]) { m = Max(x, a); y = Min(m, b); return y }"},
        WrittenOutCase{"LeakyRelu",
                       "graph(x: f32[5]) { z = Constant(value=0.0); a = Constant(value=0.125); c = Less(x, z); m = Mul(a, x);"
                       " y = Where(c, m, x); return y }",
                       "graph(x: f32[5]) { y = LeakyRelu(x, alpha=0.125); return y }"},
        // As a file's float holds 0.1; of doubles it would be another number.
        WrittenOutCase{"LeakyReluWithWhatAFloatHolds",
                       "graph(x: f32[5]) { z = Constant(value=0.0); a = Constant(value=0.10000000149011612); c = Less(x, z);"
                       " m = Mul(a, x); y = Where(c, m, x); return y }",
                       "graph(x: f32[5]) { y = LeakyRelu(x, alpha=0.1); return y }"},
        WrittenOutCase{"LeakyReluOfDoubles",
                       "graph(x: f64[5]) { z = Constant(dtype=\"f64\", value=0.0);"
                       " a = Constant(dtype=\"f64\", value=0.10000000149011612); c = Less(x, z); m = Mul(a, x); y = Where(c, m, x);"
                       " return y }",
                       "graph(x: f64[5]) { y = LeakyRelu(x, alpha=0.10000000149011612); return y }"},
        WrittenOutCase{"LeakyReluTheOtherWayRound",
                       "graph(x: f32[5]) { z = Constant(value=0.0); a = Constant(value=0.125); c = Greater(x, z); m = Mul(x, a);"
                       " y = Where(c, x, m); return y }",
                       "graph(x: f32[5]) { y = LeakyRelu(x, alpha=0.125); return y }"},
        WrittenOutCase{"LossOfEachPlace", kLosses + "return p }",
                       "graph(x: f32[3,5,2], l: i64[3,2]) { y = NegativeLogLikelihoodLoss(x, l, reduction=\"none\"); return y }"},
        WrittenOutCase{"MeanLoss", kLosses + "y = ReduceMean(p, keepdims=0); return y }",
                       "graph(x: f32[3,5,2], l: i64[3,2]) { y = NegativeLogLikelihoodLoss(x, l); return y }"},
        WrittenOutCase{
            "WeightedSum", kLosses + "k = Gather(w, l); q = Mul(k, p); y = ReduceSum(q, axes=[0,1], keepdims=0); return y }",
            "graph(x: f32[3,5,2], l: i64[3,2], w: f32[5]) { y = NegativeLogLikelihoodLoss(x, l, w, reduction=\"sum\"); return y }"},
        WrittenOutCase{
            "WeightedMean",
            kLosses + "k = Gather(w, l); q = Mul(p, k); a = ReduceSum(q, keepdims=0); b = ReduceSum(k, keepdims=0); y = Div(a, b);"
                      " return y }",
            "graph(x: f32[3,5,2], l: i64[3,2], w: f32[5]) { y = NegativeLogLikelihoodLoss(x, l, w); return y }"},
        WrittenOutCase{
            "IgnoredLabel", kLossesIgnoring + "v = Squeeze(m, axes=[1]); k = Where(v, zero, one); y = Mul(p, k); return y }",
            "graph(x: f32[3,5,2], l: i64[3,2]) { y = NegativeLogLikelihoodLoss(x, l, ignore_index=1, reduction=\"none\"); return "
            "y }"},
        WrittenOutCase{"IgnoredLabelWithWeights", kLossesIgnoring + kWeighted + "return y }",
                       "graph(x: f32[3,5,2], l: i64[3,2], w: f32[5]) { y = NegativeLogLikelihoodLoss(x, l, w, ignore_index=1,"
                       " reduction=\"none\"); return y }"},
        WrittenOutCase{
            "MeanOfWhatIsNotIgnored",
            kLossesIgnoring + kWeighted + "r = ReduceSum(y, keepdims=0); q = ReduceSum(k, keepdims=0); z = Div(r, q); return z }",
            "graph(x: f32[3,5,2], l: i64[3,2], w: f32[5]) { y = NegativeLogLikelihoodLoss(x, l, w, ignore_index=1); return y }"},
        WrittenOutCase{
            "CrossEntropy",
            "graph(x: f32[3,5,2], l: i64[3,2]) { s = LogSoftmax(x, axis=1); y = NegativeLogLikelihoodLoss(s, l); return y }",
            "graph(x: f32[3,5,2], l: i64[3,2]) { y = SoftmaxCrossEntropyLoss(x, l); return y }"},
        WrittenOutCase{"CrossEntropyThroughViews",
                       kClassesLast + "c = LogSoftmax(b); " + kClassesBack +
                           "y = NegativeLogLikelihoodLoss(e, l, reduction=\"sum\"); return y }",
                       "graph(x: f32[3,5,2,2], l: i64[3,2,2]) { y = SoftmaxCrossEntropyLoss(x, l, reduction=\"sum\"); return y }"},
        WrittenOutCase{"CrossEntropyToTheLastOperator",
                       "graph(x: f32[3,5], l: i64[3]) { " + kPowersAlongOne +
                           "h = Log(s); r = Sub(d, h); u = Unsqueeze(l, axes=[1]); g = GatherElements(r, u, axis=1); n = Neg(g);"
                           " p = Squeeze(n, axes=[1]); y = ReduceMean(p, keepdims=0); return y }",
                       "graph(x: f32[3,5], l: i64[3]) { y = SoftmaxCrossEntropyLoss(x, l); return y }"}),
    [](const auto& given) { return given.param.name; });

TEST(Recompose, ComparisonsOfOtherOperandsStay) {
  EXPECT_EQ(recomposed("graph(a: f32[7], b: f32[7], c: f32[7]) { g = Greater(a, b); e = Equal(a, c); y = Or(g, e); return y }"),
            "as it is");
  // Not the same for NaN.
  EXPECT_EQ(recomposed("graph(a: f32[7], b: f32[7]) { l = Less(a, b); y = Not(l); return y }"), "as it is");
  EXPECT_EQ(recomposed("graph(a: f32[7], b: f32[7]) { g = Greater(a, b); e = Equal(a, b); y = And(g, e); return y }"), "as it is");
  EXPECT_EQ(recomposed("graph(a: f32[7], b: f32[7]) { g = Greater(a, b); e = Less(a, b); y = Or(g, e); return y }"), "as it is");
}

// A number that only the two comparisons read is an operand of the one that takes their place.
TEST(Recompose, ComparisonsWithANumberKeepIt) {
  for (const char* const sides : {"x, n", "n, x"}) {
    const std::string text = std::string("graph(q: f32[4], x: f32[4]) { n = Constant(value=0.5); g = Greater(") + sides +
                             "); e = Equal(x, n); o = Or(g, e); c = Cast(o, to=\"f32\"); y = Mul(c, q); return y }";
    const auto made = recompose(graph_of(text));
    ASSERT_TRUE(made) << text;
    EXPECT_EQ(canonical_text(made->graph),
              canonical_text(graph_of(std::string("graph(q: f32[4], x: f32[4]) { n = Constant(value=0.5); o = GreaterOrEqual(") +
                                      sides + "); c = Cast(o, to=\"f32\"); y = Mul(c, q); return y }")));
  }
}

TEST(Recompose, WhatSomethingElseReadsStays) {
  EXPECT_EQ(recomposed("graph(a: f32[7], b: f32[7]) { g = Greater(a, b); e = Equal(a, b); y = Or(g, e); return y, e }"),
            "as it is");
  EXPECT_EQ(recomposed("graph(x: f32[2,3,4]) { " + kPowersAlongOne + "y = Div(e, s); z = Abs(e); return y, z }"), "as it is");
  EXPECT_EQ(recomposed("graph(x: f32[3,5], l: i64[3]) { s = LogSoftmax(x); y = NegativeLogLikelihoodLoss(s, l); return y, s }"),
            "as it is");
}

TEST(Recompose, WhatIsAnnotatedStays) {
  EXPECT_EQ(recomposed("graph(a: f32[7], b: f32[7]) { g = Greater(a, b); e = Equal(a, b) @NoFusion(\"studied\"); y = Or(g, e);"
                       " return y }"),
            "as it is");
}

TEST(Recompose, SoftmaxAlongTheLastAxisIsLeftToFusionAndOneWithoutItsLargestElementIsAnother) {
  const std::string last = "graph(x: f32[2,3]) { " + kPowersAlongOne + "y = Div(e, s); return y }";
  EXPECT_EQ(recomposed(last), "as it is");
  EXPECT_EQ(::fuselab::testing::fused(last).operations.size(), 1u);
  EXPECT_EQ(recomposed("graph(x: f32[2,3,4]) { e = Exp(x); s = ReduceSum(e, axes=[1]); y = Div(e, s); return y }"), "as it is");
  EXPECT_EQ(recomposed("graph(x: f32[3,3,4]) { m = ReduceMax(x, axes=[0]); d = Sub(x, m); e = Exp(d); s = ReduceSum(e, axes=[1]);"
                       " y = Div(e, s); return y }"),
            "as it is");
  EXPECT_EQ(recomposed("graph(x: f32[2,3,4]) { " + kPowersAlongOne + "y = Div(s, e); return y }"), "as it is");
  EXPECT_EQ(recomposed("graph(x: f32[2,3,4]) { " + kPowersAlongOne + "g = Log(s); y = Sub(x, g); return y }"), "as it is");
  EXPECT_EQ(recomposed("graph(x: f32[2,3,4]) { m = ReduceMax(x, axes=[1,2]); d = Sub(x, m); e = Exp(d);"
                       " s = ReduceSum(e, axes=[1,2]); y = Div(e, s); return y }"),
            "as it is");
}

TEST(Recompose, NormsOfOtherAxesOrWithoutAScaleStay) {
  const auto of = [](const std::string& rest) { return recomposed(kNormOfTwo + rest + " return y }"); };
  const std::string squares = "q = Mul(x, x); m = ReduceMean(q, axes=[1,2]); v = Add(m, eps); r = Sqrt(v); ";
  ASSERT_NE(of(squares + "n = Div(x, r); y = Mul(n, g);"), "as it is");
  EXPECT_EQ(of(squares + "y = Div(x, r);"), "as it is");
  EXPECT_EQ(of(squares + "n = Div(x, r); y = Mul(n, x);"), "as it is");
  EXPECT_EQ(of(squares + "n = Div(r, x); y = Mul(n, g);"), "as it is");
  EXPECT_EQ(of("q = Mul(x, x); m = ReduceMean(q, axes=[0,1]); v = Add(m, eps); r = Sqrt(v); n = Div(x, r); y = Mul(n, b);"),
            "as it is");
  EXPECT_EQ(of("q = Mul(x, x); m = ReduceMean(q, axes=[0,2]); v = Add(m, eps); r = Sqrt(v); n = Div(x, r); y = Mul(n, b);"),
            "as it is");
  EXPECT_EQ(of("q = Mul(x, x); m = ReduceSum(q, axes=[1,2]); v = Add(m, eps); r = Sqrt(v); n = Div(x, r); y = Mul(n, g);"),
            "as it is");
  EXPECT_EQ(of("q = Abs(x); m = ReduceMean(q, axes=[1,2]); v = Add(m, eps); r = Sqrt(v); n = Div(x, r); y = Mul(n, g);"),
            "as it is");
  EXPECT_EQ(of("q = Mul(x, x); m = ReduceMean(q, axes=[1,2]); v = Add(m, b); r = Sqrt(v); n = Div(x, r); y = Mul(n, g);"),
            "as it is");
  // Along the last axis alone its operators grow into one kernel as they stand.
  EXPECT_EQ(of("q = Mul(x, x); m = ReduceMean(q, axes=[2]); v = Add(m, eps); r = Sqrt(v); n = Div(x, r); y = Mul(n, b);"),
            "as it is");
}

TEST(Recompose, RotationsThatAreOtherwiseStay) {
  const auto of = [](const std::string& what, const std::string& with) {
    std::string text = "graph(x: f32[2,4,3,4], c: f32[50,2], s: f32[50,2], i: i64[2,3]) { h = Transpose(x, perm=[0,2,1,3]); " +
                       kRotated + " m = Concat(r, j, axis=-1); y = Transpose(m, perm=[0,2,1,3]); return y }";
    const auto at = text.find(what);
    EXPECT_NE(at, std::string::npos) << what;
    return recomposed(text.replace(at, what.size(), with));
  };
  ASSERT_NE(of("", ""), "as it is");
  EXPECT_EQ(of("j = Add(sa, cb)", "j = Sub(sa, cb)"), "as it is");
  EXPECT_EQ(of("cb = Mul(cu, b)", "cb = Mul(cu, a)"), "as it is");
  EXPECT_EQ(of("r = Sub(ca, sb)", "r = Sub(sb, ca)"), "as it is");
  EXPECT_EQ(of("m = Concat(r, j", "m = Concat(j, r"), "as it is");
  EXPECT_EQ(of("y = Transpose(m, perm=[0,2,1,3])", "y = Transpose(m, perm=[0,1,2,3])"), "as it is");
  EXPECT_EQ(of("sg = Gather(s, i)", "z = Abs(i); sg = Gather(s, z)"), "as it is");
}

TEST(Recompose, ChoicesThatAreOtherwiseForNanOrByAnotherNumberStay) {
  const auto of = [](const std::string& rest) {
    return recomposed("graph(x: f32[5], t: f32[5]) { z = Constant(value=0.0); a = Constant(value=0.125); " + rest + " return y }");
  };
  ASSERT_NE(of("c = Less(x, a); y = Where(c, a, x);"), "as it is");
  // NaN becomes the bound here.
  EXPECT_EQ(of("c = Less(x, a); y = Where(c, x, a);"), "as it is");
  EXPECT_EQ(of("c = Greater(x, z); y = Where(c, x, z);"), "as it is");
  // A bound for each element: where one is NaN, Max would be NaN.
  EXPECT_EQ(of("c = Less(x, t); y = Where(c, t, x);"), "as it is");
  EXPECT_EQ(of("c = Less(x, a); y = Where(c, z, x);"), "as it is");
  EXPECT_EQ(of("c = Equal(x, a); y = Where(c, a, x);"), "as it is");
  EXPECT_EQ(of("c = Less(x, a); m = Mul(x, a); y = Where(c, m, x);"), "as it is");
  // A bound that Clip's double would round.
  EXPECT_EQ(recomposed("graph(x: i64[5]) { a = Constant(dtype=\"i64\", value=9007199254740993); c = Less(x, a); y = Where(c, a, x);"
                       " return y }"),
            "as it is");
  EXPECT_EQ(of("c = Less(x, z); m = Mul(x, t); y = Where(c, m, x);"), "as it is");
  EXPECT_EQ(of("c = Less(x, z); m = Mul(t, a); y = Where(c, m, x);"), "as it is");
}

TEST(Recompose, LossesWithAnotherConstantOrAxisStay) {
  const auto replaced = [](std::string text, const std::string& what, const std::string& with) {
    const auto at = text.find(what);
    EXPECT_NE(at, std::string::npos) << what;
    return text.replace(at, what.size(), with);
  };
  const std::string ignoring = kLossesIgnoring + kWeighted + "return y }";
  ASSERT_NE(recomposed(ignoring), "as it is");
  EXPECT_EQ(recomposed(replaced(ignoring, "zero = Constant(value=0.0)", "zero = Constant(value=0.5)")), "as it is");
  EXPECT_EQ(recomposed(replaced(ignoring, "o = Sub(u, u)", "o = Add(u, u)")), "as it is");
  EXPECT_EQ(recomposed(replaced(ignoring, "t = Where(m, o, u)", "t = Where(m, u, o)")), "as it is");
  EXPECT_EQ(recomposed(replaced(ignoring, "m = Equal(u, i)", "m = Less(u, i)")), "as it is");
  const std::string unweighted = kLossesIgnoring + "v = Squeeze(m, axes=[1]); k = Where(v, zero, one); y = Mul(p, k); return y }";
  ASSERT_EQ(recomposed(unweighted).find("Mul"), std::string::npos);
  EXPECT_EQ(recomposed(replaced(unweighted, "one = Constant(value=1.0)", "one = Constant(value=2.0)")), "as it is");
  EXPECT_EQ(recomposed("graph(x: f32[5,3], l: i64[3]) { u = Unsqueeze(l, axes=[0]); g = GatherElements(x, u, axis=0); n = Neg(g);"
                       " p = Squeeze(n, axes=[0]); return p }"),
            "as it is");
  // Fewer labels than samples: GatherElements takes them, the loss does not.
  EXPECT_EQ(recomposed("graph(x: f32[4,5], l: i64[3]) { u = Unsqueeze(l, axes=[1]); g = GatherElements(x, u, axis=1); n = Neg(g);"
                       " p = Squeeze(n, axes=[1]); return p }"),
            "as it is");
}

TEST(Recompose, AMeanOfAllPlacesIsNoMeanOfWhatCounts) {
  // Weighted, or with something ignored, the operator divides by the sum of what counts; a plain mean stays beside the losses.
  for (const std::string& head : {kLosses + "k = Gather(w, l); y = Mul(p, k); ", kLossesIgnoring + kWeighted}) {
    const std::string text = recomposed(head + "z = ReduceMean(y, keepdims=0); return z }");
    EXPECT_NE(text.find("reduction=\"none\""), std::string::npos) << text;
    EXPECT_NE(text.find("ReduceMean"), std::string::npos) << text;
  }
  const std::string text = recomposed(kLossesIgnoring + "z = ReduceMean(p, keepdims=0); return z }");
  EXPECT_NE(text.find("ReduceMean"), std::string::npos) << text;
}

TEST(Recompose, CrossEntropyOverAnotherAxisStays) {
  EXPECT_EQ(recomposed("graph(x: f32[3,5,5], l: i64[3,5]) { s = LogSoftmax(x); y = NegativeLogLikelihoodLoss(s, l); return y }"),
            "as it is");
  EXPECT_EQ(recomposed("graph(x: f32[3,5], l: i64[3]) { s = Softmax(x); y = NegativeLogLikelihoodLoss(s, l); return y }"),
            "as it is");
  EXPECT_EQ(
      recomposed(kClassesLast + "c = LogSoftmax(b, axis=1); " + kClassesBack + "y = NegativeLogLikelihoodLoss(e, l); return y }"),
      "as it is");
  // The places in another order than the scores have them.
  EXPECT_EQ(recomposed("graph(x: f32[3,4,2,2], l: i64[3,2,2]) { a = Reshape(x, shape=[0,2,-1]); b = Transpose(a, perm=[0,2,1]);"
                       " c = LogSoftmax(b); d = Transpose(c, perm=[0,2,1]); e = Reshape(d, shape=[3,4,2,2]);"
                       " y = NegativeLogLikelihoodLoss(e, l); return y }"),
            "as it is");
}

TEST(Recompose, KeepsTheRestWithItsNamesAndSaysWhatWasRead) {
  const Graph graph = graph_of(
      "graph(a: f32[4,7], b: f32[7]) { c = Abs(a); g = Greater(c, b); e = Equal(c, b); y = Or(g, e); z = Not(y); return z, c }");
  const auto made = recompose(graph);
  ASSERT_TRUE(made.has_value());
  EXPECT_EQ(named_text(made->graph),
            "graph(a: f32[4,7], b: f32[7]) { c = Abs(a); y = GreaterOrEqual(c, b); z = Not(y); return z, c }");
  ASSERT_EQ(made->moved.size(), graph.nodes().size());
  EXPECT_EQ(made->moved.front(), NodeId{0});
  EXPECT_EQ(made->moved[1], std::nullopt);
  EXPECT_EQ(made->moved.back(), NodeId{2});
  ASSERT_EQ(made->notes.size(), 1u);
  EXPECT_EQ(made->notes.front(), "3 nodes from 'g' to 'y' write out GreaterOrEqual: read as that operator");
}

TEST(Recompose, WhatNoOutputNeedsIsNoReader) {
  // The dead reader of a part goes with the part.
  const auto made =
      recompose(graph_of("graph(a: f32[7], b: f32[7]) { g = Greater(a, b); e = Equal(a, b); y = Or(g, e); d = Not(g); return y }"));
  ASSERT_TRUE(made.has_value());
  EXPECT_EQ(canonical_text(made->graph), "graph(i0: f32[7], i1: f32[7]) { v0 = GreaterOrEqual(i0, i1); return v0 }");
}

}  // namespace
}  // namespace fuselab
