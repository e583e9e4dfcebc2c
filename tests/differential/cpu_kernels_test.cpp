// SPDX-License-Identifier: Apache-2.0
// Every claimed operator chain × odd sizes × seeded configurations × kinds of input, against the float64 reference.
#include <gtest/gtest.h>

#include <iterator>

#include "backends/cpu/cpu_backend.h"
#include "core/base/random.h"
#include "core/graph/graph_text.h"
#include "tests/differential/kernel_trial.h"
#include "tests/support/rotation.h"

namespace fuselab::testing {
namespace {

struct Chain {
  const char* name;
  const char* graph;  // r and c are symbols
  friend void PrintTo(const Chain& chain, std::ostream* out) { *out << chain.name; }
};

constexpr Chain kChains[] = {
    {"BiasGelu", R"(graph(x: f32[r,c], b: param f32[c]) { s = Add(x, b); y = Gelu(s, approximate="tanh"); return y })"},
    {"GeluWithErf", R"(graph(x: f32[r,c]) { y = Gelu(x); return y })"},
    {"ResidualRmsNorm",
     R"(graph(x: f32[r,c], e: f32[r,c], w: param f32[c]) { s = Add(x, e); y = RMSNormalization(s, w); return s, y })"},
    {"LayerNorm", R"(graph(x: f32[r,c], w: param f32[c], b: param f32[c]) { y = LayerNormalization(x, w, b); return y })"},
    {"Softmax", R"(graph(x: f32[r,c]) { y = Softmax(x); return y })"},
    {"LogSoftmax", R"(graph(x: f32[r,c]) { y = LogSoftmax(x); return y })"},
    {"SwiGlu", R"(graph(g: f32[r,c], u: f32[r,c]) { s = Swish(g); y = Mul(s, u); return y })"},
    {"CrossEntropy", R"(graph(x: f32[r,c], l: i64[r]) { y = SoftmaxCrossEntropyLoss(x, l, reduction="none"); return y })"},
    {"MeanAndVariance",
     R"(graph(x: f32[r,c]) { m = ReduceMean(x, axes=[-1]); d = Sub(x, m); q = Mul(d, d); v = ReduceMean(q, axes=[-1]); return m, v })"},
    {"FullMaximum", R"(graph(x: f32[r,c]) { y = ReduceMax(x, keepdims=0); return y })"},
    {"RowsWithoutKeepdims",
     R"(graph(x: f32[r,c], b: f32[r]) { s = ReduceSum(x, axes=[-1], keepdims=0); y = Add(s, b); return y })"},
    {"ColumnBroadcast", R"(graph(x: f32[r,c], k: f32[r,1]) { d = Div(x, k); y = Sigmoid(d); return y })"},
    {"Unaries", R"(graph(x: f32[r,c]) { a = Abs(x); s = Sqrt(a); t = Tanh(s); e = Erf(t); n = Neg(e); y = Exp(n); return y })"},
    {"ClipAndLeaky",
     R"(graph(x: f32[r,c], z: f32[r,c]) { a = LeakyRelu(x, alpha=0.1); b = Clip(z, min=-0.5, max=0.5); y = Max(a, b); return y })"},
    {"DoubleSoftmax", R"(graph(x: f64[r,c]) { y = Softmax(x); return y })"},
    {"FloatToDouble", R"(graph(x: f32[r,c], z: f64[r,c]) { d = Cast(x, to="f64"); y = Add(d, z); return y })"},
    {"DoubleToFloat", R"(graph(x: f64[r,c]) { e = Exp(x); y = Cast(e, to="f32"); return y })"},
    {"HalfSwish", R"(graph(x: f16[r,c]) { y = Swish(x); return y })"},
    {"BrainRmsNorm", R"(graph(x: bf16[r,c], w: bf16[c]) { y = RMSNormalization(x, w); return y })"},
    {"MatMulBiasRelu",
     R"(graph(x: f32[r,c], w: param f32[c,r], b: param f32[r]) { p = MatMul(x, w); s = Add(p, b); y = Relu(s); return y })"},
    {"GemmTurned",
     R"(graph(x: f32[r,c], w: param f32[r,c], b: param f32[r]) { y = Gemm(x, w, b, transB=1, alpha=0.5); return y })"},
    {"MatrixVector", R"(graph(x: f32[r,c], v: f32[c]) { y = MatMul(x, v); return y })"},
    {"ConvolutionNormRelu",
     R"(graph(x: f32[2,4,r,9], w: param f32[6,2,3,3], s: param f32[6], b: param f32[6], m: param f32[6], v: param f32[6]) {
        y = Conv(x, w, group=2, pads=[1,1,1,1], strides=[1,2]); n = BatchNormalization(y, s, b, m, v); z = Relu(n); return z })"},
    {"RowOfMatrix",
     R"(graph(x: f32[1,c], w: param f32[c,r], b: param f32[r]) { p = MatMul(x, w); s = Add(p, b); y = Gelu(s); return y })"},
    {"RowsOfHalfMatrix", R"(graph(x: f32[3,c], w: bf16[c,150]) { d = Cast(w, to="f32"); y = MatMul(x, d); return y })"},
    {"ThreeRowsOfHalves", R"(graph(x: bf16[3,c], w: param bf16[c,150]) { y = MatMul(x, w); return y })"},
    {"BatchesOfFewRows", R"(graph(x: f32[2,r,2,c], w: f32[r,c,37]) { y = MatMul(x, w); z = Relu(y); return z })"},
    {"ConvolutionOfManyChannels",
     R"(graph(x: f32[1,70,r,13], w: param f32[40,70,3,3], b: param f32[40], z: f32[1,40,r,13]) {
        y = Conv(x, w, b, pads=[1,1,1,1]); s = Add(y, z); u = Relu(s); return u })"},
    {"ConvolutionByTwo",
     R"(graph(x: f32[2,3,29,31], w: param f32[20,3,7,7]) { y = Conv(x, w, pads=[3,3,3,3], strides=[2,2]); z = Sigmoid(y); return z })"},
    {"DilatedConvolution",
     R"(graph(x: f32[1,8,r,20], w: param f32[24,8,3,3]) { y = Conv(x, w, pads=[2,3,2,1], dilations=[2,2], strides=[1,3]); return y })"},
    {"DepthwiseConvolution",
     R"(graph(x: f32[1,6,21,23], w: param f32[6,1,5,5], b: param f32[6]) { y = Conv(x, w, b, group=6, pads=[2,2,2,2], strides=[2,2]); return y })"},
    {"ConvolutionToOneChannel", R"(graph(x: f32[1,12,r,18], w: param f32[1,12,3,3]) { y = Conv(x, w, pads=[1,1,1,1]); return y })"},
    {"ConvolutionOfLines",
     R"(graph(x: f32[2,9,85], w: param f32[17,9,3], b: param f32[17]) { y = Conv(x, w, b, pads=[1,1], strides=[2]); return y })"},
    {"DilatedConvolutionOfPastLines",
     R"(graph(x: f32[1,9,r], w: param f32[33,9,3]) { y = Conv(x, w, pads=[4,0], dilations=[2]); return y })"},
    {"ConvolutionOfVolumes",
     R"(graph(x: f32[1,5,r,7,9], w: param f32[20,5,3,3,3], b: param f32[20], z: f32[1,20,r,7,9]) {
        y = Conv(x, w, b, pads=[1,1,1,1,1,1]); s = Add(y, z); u = Relu(s); return u })"},
    {"GroupedConvolutionOfVolumes",
     R"(graph(x: f32[2,4,7,r,11], w: param f32[6,2,2,3,3]) {
        y = Conv(x, w, group=2, pads=[1,1,1,0,1,2], strides=[2,1,2], dilations=[2,1,1]); return y })"},
    {"DepthwiseConvolutionOfVolumes",
     R"(graph(x: f32[1,6,5,r,8], w: param f32[6,1,3,3,3]) { y = Conv(x, w, group=6, pads=[2,1,1,2,1,1], dilations=[2,1,1]); return y })"},
    {"ConvolutionAlongTheDepth",
     R"(graph(x: bf16[2,3,r,4,5], w: param bf16[18,3,3,1,1]) { y = Conv(x, w, pads=[1,0,0,1,0,0]); return y })"},
    // Unpadded: beside the image, special weights would meet zeros.
    {"ConvolutionOfVolumesByInputs",
     R"(graph(x: f64[1,2,6,5,17], w: f64[9,2,4,2,3]) { y = Conv(x, w, strides=[1,2,3], dilations=[1,2,1]); return y })"},
    {"PointwiseOfVolumes", R"(graph(x: f32[1,9,8,14,14], w: param f32[17,9,1,1,1]) { y = Conv(x, w); return y })"},
    {"PointwiseOfVolumesByTwo",
     R"(graph(x: f32[2,5,7,5,9], w: param f32[19,5,1,1,1]) { y = Conv(x, w, strides=[2,2,2]); return y })"},
    {"PointwiseByTwo", R"(graph(x: f64[2,5,11,9], w: param f64[19,5,1,1]) { y = Conv(x, w, strides=[2,2]); return y })"},
    // Far more channels than one block of registers holds: a block ends with its own.
    {"PointwiseToManyChannels", R"(graph(x: f32[1,3,7,7], w: param f32[2048,3,1,1]) { y = Conv(x, w); return y })"},
    {"PointwiseOfHalves", R"(graph(x: bf16[1,33,r,7], w: param bf16[33,33,1,1]) { y = Conv(x, w); return y })"},
    {"Transpose", R"(graph(x: f32[2,r,c]) { y = Transpose(x, perm=[2,0,1]); return y })"},
    {"Concat", R"(graph(x: f32[r,5,c], z: f32[r,3,c]) { y = Concat(x, z, axis=1); return y })"},
    {"TransposeOfWholeRegisters", R"(graph(x: f32[2,48,r,64]) { y = Transpose(x, perm=[0,2,3,1]); return y })"},
    {"TransposeOfDoubles", R"(graph(x: f64[r,c]) { y = Transpose(x); return y })"},
    {"TransposeOfHalves", R"(graph(x: bf16[r,c]) { y = Transpose(x); return y })"},
    {"ConcatOfWholeRegisters", R"(graph(x: f32[r,64], z: f32[r,32]) { y = Concat(x, z, axis=1); return y })"},
    {"SliceByTwo", R"(graph(x: f32[r,130]) { y = Slice(x, starts=[1], ends=[129], axes=[1], steps=[2]); return y })"},
    {"SliceBackwards", R"(graph(x: f32[r,129]) { y = Slice(x, starts=[-1], ends=[-2000], axes=[1], steps=[-1]); return y })"},
    {"Padded", R"(graph(x: f32[r,3,7,29]) { y = Pad(x, pads=[0,1,2,0,0,0,1,3]); return y })"},
    {"PaddedInFront", R"(graph(x: f32[3,c]) { y = Pad(x, pads=[2,0,1,0]); return y })"},
    {"PaddedHalvesThenRegrouped",
     R"(graph(x: bf16[r,4,6]) { p = Pad(x, pads=[0,1,0,0,2,0]); y = Reshape(p, shape=[0,42]); return y })"},
    {"PaddedByANumber", R"(graph(x: f32[r,29]) { y = Pad(x, pads=[0,2,0,1], value=-0.5); return y })"},
    {"GatheredColumns", R"(graph(x: f32[r,c], i: i64[9]) { y = Gather(x, i, axis=1); return y })"},
    {"GatheredRows", R"(graph(x: f32[5,r,32], i: i64[3,4]) { y = Gather(x, i, axis=1); return y })"},
    {"GatheredHalves", R"(graph(x: f16[r,3], i: i64[700]) { y = Gather(x, i, axis=0); return y })"},
    {"MaxPool", R"(graph(x: f32[2,3,r,c]) { y = MaxPool(x, kernel_shape=[3,3], strides=[1,1], pads=[1,1,1,1]); return y })"},
    {"MaxPoolByTwo", R"(graph(x: f32[2,3,r,c]) { y = MaxPool(x, kernel_shape=[3,3], strides=[2,2], pads=[1,1,1,1]); return y })"},
    {"MaxPoolFarApart", R"(graph(x: f32[2,3,r,c]) { y = MaxPool(x, kernel_shape=[1,1], strides=[2,40]); return y })"},
    {"DilatedAveragePool", R"(graph(x: f32[2,3,r,c]) {
        y = AveragePool(x, kernel_shape=[2,5], strides=[1,3], dilations=[1,2], pads=[1,4,0,5]); return y })"},
    {"AveragePoolOfPads", R"(graph(x: f32[2,3,r,c]) {
        y = AveragePool(x, kernel_shape=[3,3], strides=[2,2], pads=[1,0,1,2], count_include_pad=1); return y })"},
    {"AveragePoolRelu",
     R"(graph(x: f32[2,3,r,c]) { y = AveragePool(x, kernel_shape=[2,3], pads=[1,1,0,1]); z = Relu(y); return z })"},
    {"AttentionOperator", R"(graph(q: f32[1,4,r,20], k: f32[1,2,c,20], v: f32[1,2,c,9]) { y = Attention(q, k, v); return y })"},
    {"CausalAttention",
     R"(graph(q: f32[1,2,r,16], k: f32[1,2,r,16], v: f32[1,2,r,16]) { y = Attention(q, k, v, is_causal=1); return y })"},
    {"WrittenAttention",
     R"(graph(q: f32[2,r,20], k: f32[2,c,20], v: f32[2,c,17], m: f32[r,c]) { h = Constant(value=0.25); t = Transpose(k, perm=[0,2,1]);
        s = MatMul(q, t); u = Mul(s, h); w = Add(u, m); p = Softmax(w); y = MatMul(p, v); return y })"},
    {"RotateHalf",
     R"(graph(q: f32[r,c,24], cos: f32[c,24], sin: f32[c,24]) { l = Slice(q, starts=[0], ends=[12], axes=[-1]);
        h = Slice(q, starts=[12], ends=[24], axes=[-1]); n = Neg(h); t = Concat(n, l, axis=-1); a = Mul(q, cos); b = Mul(t, sin);
        y = Add(a, b); return y })"},
    {"RotaryEmbedding", R"(graph(x: f32[r,2,c,18], k: f32[r,c,8], s: f32[r,c,8]) {
        y = RotaryEmbedding(x, k, s, rotary_embedding_dim=16); return y })"},
    {"RotaryOfPairs", R"(graph(x: f32[r,c,24], k: f32[9,4], s: f32[9,4], p: i64[r,c]) {
        y = RotaryEmbedding(x, k, s, p, interleaved=1, num_heads=2, rotary_embedding_dim=8); return y })"},
    {"TopOfAnInnerAxis", R"(graph(x: f32[r,7,c]) { v, p = TopK(x, k=4, axis=1); return v, p })"},
    {"AttentionOverInnerHeads",
     R"(graph(q: f32[2,r,3,16], k: f32[2,c,3,16], v: f32[2,c,3,9]) { a = Transpose(q, perm=[0,2,1,3]); b = Transpose(k, perm=[0,2,3,1]);
        d = Transpose(v, perm=[0,2,1,3]); s = MatMul(a, b); p = Softmax(s); y = MatMul(p, d); return y })"},
    {"ViewsAroundATranspose", R"(graph(x: f32[r,24]) { v = Reshape(x, shape=[0,4,6]); t = Transpose(v, perm=[1,0,2]);
        y = Unsqueeze(t, axes=[2]); return y })"},
    {"HeadsJoined", R"(graph(x: f32[2,3,r,8]) { t = Transpose(x, perm=[0,2,1,3]); y = Reshape(t, shape=[0,0,24]); return y })"},
    {"RegroupedSum", R"(graph(x: f32[r,24], b: param f32[24]) { s = Add(x, b); y = Reshape(s, shape=[0,4,6]); return y })"},
    {"GlobalPool", R"(graph(x: f32[2,3,r,c]) { y = GlobalAveragePool(x); return y })"},
    {"Scattered", R"(graph(x: f32[r,c], i: i64[r,5], u: f32[r,5]) { y = ScatterElements(x, i, u, axis=1); return y })"},
    {"ScatteredAlongRows", R"(graph(x: f16[r,4], i: i64[9,3], u: f16[9,3]) { y = ScatterElements(x, i, u, axis=0); return y })"},
    {"ScatteredWholeNumbers", R"(graph(x: i32[r,c], i: i64[300,c], u: i32[300,c]) {
        y = ScatterElements(x, i, u, axis=0); return y })"},
    {"ScatteredIntoASum", R"(graph(x: f32[r,c], z: f32[c], i: i64[r,5], u: f32[r,5]) {
        s = Add(x, z); v = Neg(u); y = ScatterElements(s, i, v, axis=-1); return y })"},
    {"ScatteredIntoSomeRows", R"(graph(x: f32[4,r,c], i: i64[3,2,c], u: f32[3,2,c]) {
        y = ScatterElements(x, i, u, axis=1); return y })"},
    {"ScatteredByTuples", R"(graph(x: f32[r,4,c], i: i64[6,2], u: f32[6,c]) { y = ScatterND(x, i, u); return y })"},
    {"Lstm", R"(graph(x: f32[r,3,c], w: param f32[1,60,c], d: param f32[1,60,15], b: param f32[1,120]) {
        y, h, z = LSTM(x, w, d, b, operands="B"); return y, h, z })"},
    {"LstmBothWays",
     R"(graph(x: f32[r,5,c], w: param f32[2,68,c], d: param f32[2,68,17], b: param f32[2,136], l: i32[5], h: f32[2,5,17],
        k: f32[2,5,17], p: param f32[2,51]) { y, s, z = LSTM(x, w, d, b, l, h, k, p, direction="bidirectional",
        operands="B sequence_lens initial_h initial_c P", clip=3.0); return y, z })"},
    {"GruBackwards", R"(graph(x: f16[r,2,c], w: param f16[1,57,c], d: param f16[1,57,19], b: param f16[1,114], h: f16[1,2,19]) {
        y, s = GRU(x, w, d, b, h, direction="reverse", operands="B initial_h"); return y, s })"},
    {"GruOfLengths", R"(graph(x: f64[r,4,c], w: param f64[2,21,c], d: param f64[2,21,7], b: param f64[2,42], l: i32[4]) {
        y, s = GRU(x, w, d, b, l, direction="bidirectional", operands="B sequence_lens", linear_before_reset=1); return s, y })"},
    {"RnnOfViews", R"(graph(x: f32[1,r,1,c], w: param f32[1,33,c], d: param f32[1,33,33]) { v = Squeeze(x, axes=[0]);
        y, s = RNN(v, w, d, activations="Softsign"); u = Squeeze(y, axes=[1]); return u })"},
    {"MatrixOfWholeNumbers", "graph(x: i32[r,c], w: param i32[c,r]) { y = MatMul(x, w); return y }"},
    {"RowOfWholeNumbers", "graph(x: i32[1,c], w: i32[c,37]) { y = MatMul(x, w); return y }"},
    {"BatchesOfWholeNumbers", "graph(x: i32[2,r,c], w: i32[c,41]) { y = MatMul(x, w); return y }"},
    {"LstmOfManySequences", R"(graph(x: f32[5,r,c], w: param f32[2,128,c], d: param f32[2,128,32], b: param f32[2,256]) {
        y, h, z = LSTM(x, w, d, b, direction="bidirectional", operands="B"); return y, h, z })"},
    {"GruOfManySequences", R"(graph(x: f32[3,13,c], w: param f32[1,144,c], d: param f32[1,144,48], h: f32[1,13,48]) {
        y, s = GRU(x, w, d, h, direction="reverse", operands="initial_h"); return y, s })"},
    {"LinearGruOfManySequences", R"(graph(x: f32[4,r,7], w: param f32[1,96,7], d: param f32[1,96,32], b: param f32[1,192]) {
        y, s = GRU(x, w, d, b, operands="B", linear_before_reset=1); return y, s })"},
    {"RnnOfManySequences",
     R"(graph(x: f64[4,9,c], w: param f64[1,16,c], d: param f64[1,16,16]) { y, s = RNN(x, w, d); return y, s })"},
    {"ScatteredBeforeASum", R"(graph(x: f32[r,c], i: i64[r,5], u: f32[r,5]) {
        s = ScatterElements(x, i, u, axis=1); y = Add(s, x); return y })"},
};

// A contraction computes one of its operands.
constexpr Chain kPrologues[] = {
    {"MatMulOfScaledWeights", R"(graph(x: f32[r,c], w: param f32[c,r], s: param f32[r], t: f32[c,1]) {
        v = Mul(w, s); u = Add(v, t); q = Relu(u); p = MatMul(x, q); y = Relu(p); return y })"},
    {"MatMulOfGelu", R"(graph(x: f32[r,c], w: param f32[c,70], b: param f32[70], g: f32[r,1]) {
        q = Gelu(x); n = Mul(q, g); p = MatMul(n, w); y = Add(p, b); return y })"},
    {"GemmOfSumTurned",
     R"(graph(x: f32[r,c], e: f32[r,c], w: param f32[33,c]) { q = Add(x, e); y = Gemm(q, w, transB=1); return y })"},
    {"BatchedMatMulOfScaledLeft",
     R"(graph(x: bf16[3,r,c], k: bf16[c], w: bf16[3,c,37]) { q = Mul(x, k); y = MatMul(q, w); return y })"},
    {"MatrixOfReluVector", "graph(x: f32[r,c], v: f32[c]) { q = Relu(v); y = MatMul(x, q); return y }"},
    {"ColumnOfTanh", "graph(x: f32[r,c], v: f32[c,1]) { q = Tanh(x); y = MatMul(q, v); return y }"},
    {"MatMulOfRegrouped", "graph(x: f32[2,3,c], w: f32[c,r]) { v = Reshape(x, shape=[6,-1]); y = MatMul(v, w); return y }"},
    {"MatMulOfHalves", R"(graph(x: bf16[3,r,c], w: bf16[3,c,r]) { q = Sigmoid(w); y = MatMul(x, q); return y })"},
    {"GemmOfTurnedSum", R"(graph(x: f64[r,c], w: f64[r,c], z: f32[r,c], b: f64[r]) {
        d = Cast(z, to="f64"); q = Add(w, d); y = Gemm(x, q, b, transB=1); return y })"},
    {"MatrixOfSumVector", "graph(x: bf16[r,c], z: bf16[r,1], v: bf16[c]) { q = Add(x, z); y = MatMul(q, v); return y }"},
    {"ConvolutionBehindNormRelu",
     R"(graph(x: f32[2,4,r,9], w: param f32[6,2,3,3], s: param f32[4], b: param f32[4], m: param f32[4], v: param f32[4]) {
        n = BatchNormalization(x, s, b, m, v); q = Relu(n); y = Conv(q, w, group=2, pads=[1,1,1,1], strides=[1,2]); return y })"},
    {"ConvolutionBehindSigmoid",
     R"(graph(x: f32[1,2,r,7], w: param f32[3,2,3,3]) { q = Sigmoid(x); y = Conv(q, w, pads=[1,1,1,1]); return y })"},
    {"ConvolutionOfVolumesBehindRelu",
     R"(graph(x: f32[1,3,5,r,c], w: param f32[20,3,3,3,3], b: f32[c]) {
        s = Add(x, b); q = Relu(s); y = Conv(q, w, pads=[1,1,1,1,1,1], strides=[2,1,1]); return y })"},
    {"PointwiseOfRowsBroadcast", R"(graph(x: bf16[2,3,r,c], w: bf16[5,3,1,1], k: bf16[c]) {
        q = Add(x, k); e = Sigmoid(q); y = Conv(e, w); z = Relu(y); return z })"},
};

constexpr std::int64_t kSizes[][2] = {{1, 1}, {3, 17}, {17, 63}, {5, 65}, {2, 1000}, {65, 3}};

// At each size, in a seeded configuration, with each kind of input.
void expect_reference(FusionBackend& backend, const Target& target, const Chain& chain) {
  SCOPED_TRACE(chain.name);
  const auto symbolic = parse_graph(chain.graph);
  ASSERT_TRUE(symbolic.ok()) << symbolic.error().message;
  std::vector<InputSpec> specs;
  for (InputPattern pattern : {InputPattern::kUniform, InputPattern::kLarge, InputPattern::kSpecial, InputPattern::kDenormal}) {
    specs.push_back({pattern, 7});
  }
  SeededRandom random(20261121);
  for (const auto& size : kSizes) {
    const auto symbols = symbolic.value().symbols();
    Bindings bindings;
    for (const std::string& symbol : symbols) bindings[symbol] = symbol == "r" ? size[0] : size[1];
    const auto graph = fuselab::bind(symbolic.value(), bindings);
    ASSERT_TRUE(graph.ok()) << graph.error().message;
    const Support support = backend.generator()->supports(graph.value(), target);
    ASSERT_TRUE(support.yes) << support.why_not;
    const auto configs = backend.generator()->space(graph.value(), target).enumerate(100000);
    ASSERT_FALSE(configs.empty());
    const LaunchConfig& config = configs[random.below(configs.size())];
    const auto kernel = compile_kernel(backend, graph.value(), config, target, OptimizationLevel::kO2, {});
    ASSERT_TRUE(kernel.ok()) << kernel.error().message << "\n" << repro(graph.value(), config, target);
    const Trial trial = try_kernel(graph.value(), kernel.value(), specs);
    EXPECT_TRUE(trial.passed) << trial.detail << "\n" << repro(graph.value(), config, target);
  }
}

class CpuKernels : public ::testing::TestWithParam<Chain> {};

TEST_P(CpuKernels, MatchTheReference) {
  const auto backend = make_cpu_backend();
  if (const Availability usable = backend->probe(); !usable.usable) GTEST_SKIP() << usable.reason;
  const auto devices = backend->enumerate();
  ASSERT_TRUE(devices.ok());
  expect_reference(*backend, devices.value().front().target, GetParam());
}

INSTANTIATE_TEST_SUITE_P(Chains, CpuKernels, ::testing::ValuesIn(kChains),
                         [](const auto& each) { return std::string(each.param.name); });

// A third of them a day.
TEST(CpuKernelsThatComputeAnOperand, MatchTheReferenceToo) {
  constexpr unsigned kOneIn = 3;
  const auto backend = make_cpu_backend();
  if (const Availability usable = backend->probe(); !usable.usable) GTEST_SKIP() << usable.reason;
  const auto devices = backend->enumerate();
  ASSERT_TRUE(devices.ok());
  for (unsigned i = 0; i < std::size(kPrologues); ++i) {
    // Those of windows always: what lies beside the image is zero after the prologue, whatever it makes of zero.
    const bool always = std::string_view(kPrologues[i].name).starts_with("Convolution");
    if (!test::run_everything() && !always && i % kOneIn != test::sample_seed() % kOneIn) continue;
    expect_reference(*backend, devices.value().front().target, kPrologues[i]);
    if (HasFatalFailure()) return;
  }
}

TEST(CpuKernelsAtStrictLevel, MatchTheReferenceToo) {
  const auto backend = make_cpu_backend();
  if (const Availability usable = backend->probe(); !usable.usable) GTEST_SKIP() << usable.reason;
  const Target target = backend->enumerate().value().front().target;
  const Graph graph = parse_graph("graph(x: f32[17,65]) { y = Softmax(x); return y }").value();
  const LaunchConfig config = backend->generator()->default_config(graph, target);
  const InputSpec spec;
  for (OptimizationLevel level : {OptimizationLevel::kO0, OptimizationLevel::kO1, OptimizationLevel::kO3}) {
    const auto kernel = compile_kernel(*backend, graph, config, target, level, {});
    ASSERT_TRUE(kernel.ok()) << kernel.error().message;
    const Trial trial = try_kernel(graph, kernel.value(), {&spec, 1});
    EXPECT_TRUE(trial.passed) << trial.detail;
  }
}

TEST(CpuKernelsOnLowerTargets, MatchTheReferenceToo) {
  const auto backend = make_cpu_backend();
  if (const Availability usable = backend->probe(); !usable.usable) GTEST_SKIP() << usable.reason;
  const DeviceInfo device = backend->enumerate().value().front();
  const InputSpec specs[] = {{InputPattern::kUniform, 7}, {InputPattern::kLarge, 7}, {InputPattern::kSpecial, 7}};
  for (const char* result : {"e = Exp(x); y = Log(e)", "y = Sigmoid(x)", "y = Tanh(x)", "y = Erf(x)", "y = Gelu(x)", "y = Relu(x)",
                             "y = ReduceMax(x, axes=[1])", "y = Clip(x, min=-0.5, max=0.25)", "y = Softmax(x)"}) {
    const Graph graph = parse_graph("graph(x: f32[17,65]) { " + std::string(result) + "; return y }").value();
    for (const Target& target : device.other_targets) {
      const LaunchConfig config = backend->generator()->default_config(graph, target);
      const auto kernel = compile_kernel(*backend, graph, config, target, OptimizationLevel::kO2, {});
      ASSERT_TRUE(kernel.ok()) << kernel.error().message;
      const Trial trial = try_kernel(graph, kernel.value(), specs);
      EXPECT_TRUE(trial.passed) << target.id << ", " << result << ": " << trial.detail;
    }
  }
}

}  // namespace
}  // namespace fuselab::testing
