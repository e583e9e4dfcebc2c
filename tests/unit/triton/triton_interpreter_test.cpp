// SPDX-License-Identifier: Apache-2.0
// Texts run in Triton's interpreter against the float64 reference, at shapes with tails. Needs a Python with Triton:
// FUSELAB_PYTHON, or what `fuselab backends install triton` put here.
#include <gtest/gtest.h>

#include <cmath>

#include "backends/triton/triton_compiler.h"
#include "backends/triton/triton_generator.h"
#include "core/kernel/virtual_target.h"
#include "core/reference/reference.h"
#include "core/reference/special_inputs.h"
#include "core/reference/tolerance.h"
#include "core/tensor/tensor.h"
#include "tests/support/graph_builder.h"

namespace fuselab::triton {
namespace {

using fuselab::testing::graph_from;

struct Case {
  const char* name;
  const char* graph;
};
constexpr Case kCases[] = {
    {"chain", "graph(x: f32[5,77], b: param f32[77], g: f32[5,1]) { s = Add(x, b); y = Gelu(s); z = Mul(y, g); return z }"},
    {"chain_f16", "graph(x: f16[3,5,17]) { s = Sigmoid(x); t = Tanh(x); y = Mul(s, t); return y }"},
    {"compare", "graph(x: f32[40,3], y: f32[3]) { m = Less(x, y); n = Not(m); z = Where(n, x, y); return z, m }"},
    {"wholes", "graph(x: i64[31], y: i64[31]) { s = Add(x, y); m = Max(s, y); return m }"},
    {"narrowed",
     "graph(x: f32[31], k: i32[31]) { c = Constant(value=300.0); w = Mul(x, c); i = Cast(w, to=\"i8\"); j = Cast(k, to=\"f32\"); "
     "return i, j }"},
    {"powers",
     "graph(x: f32[100]) { c = Constant(value=2.0); d = Constant(value=-1.5); p = Pow(x, c); y = Mul(p, d); z = Clip(y, min=-1.0); "
     "return z }"},
    {"roots",
     "graph(x: f32[100]) { h = Constant(value=0.5); m = Constant(value=-0.5); y = Pow(x, h); z = Pow(x, m); return y, z }"},
    {"wrapped",
     "graph(k: i32[31], l: i64[31]) { f = Constant(value=100, dtype=\"i32\"); w = Mul(k, f); b = Cast(w, to=\"i8\"); s = Cast(b, "
     "to=\"f32\"); u = Cast(l, to=\"u8\"); t = Cast(u, to=\"i32\"); return s, t }"},
    {"transpose", "graph(x: f32[3,5,7,2]) { t = Transpose(x, perm=[2,0,3,1]); y = Relu(t); return y }"},
    {"rotate", R"(graph(q: f32[2,3,16], cos: f32[3,16], sin: f32[3,16]) { l = Slice(q, starts=[0], ends=[8], axes=[-1]);
      h = Slice(q, starts=[8], ends=[16], axes=[-1]); n = Neg(h); t = Concat(n, l, axis=-1); a = Mul(q, cos); b = Mul(t, sin);
      y = Add(a, b); return y })"},
    {"rotary", "graph(x: f32[2,3,5,8], c: f32[2,5,4], s: f32[2,5,4]) { y = RotaryEmbedding(x, c, s); return y }"},
    {"pad_and_trilu", "graph(x: f32[5,6]) { p = Pad(x, pads=[1,0,2,3], value=0.5); y = Trilu(p, k=1, upper=0); return y }"},
    {"gather", "graph(t: f32[10,6], i: i64[7]) { g = Gather(t, i); y = Exp(g); return y }"},
    {"batch_norm",
     "graph(x: f32[2,3,5], s: f32[3], b: f32[3], m: f32[3], v: f32[3]) { y = BatchNormalization(x, s, b, m, v); return y }"},
    {"max_pool", "graph(x: f32[1,3,9,8]) { y = MaxPool(x, kernel_shape=[3,3], strides=[2,2], pads=[1,1,1,1]); return y }"},
    {"average_pool", "graph(x: f32[1,2,7,7]) { y = AveragePool(x, kernel_shape=[3,2], strides=[2,1], pads=[1,0,1,0]); return y }"},
    {"softmax", "graph(x: f32[7,33]) { y = Softmax(x); return y }"},
    {"softmax_of_one", "graph(x: f32[4,1]) { y = Softmax(x); return y }"},
    {"softmax_across", "graph(x: f32[3,11,5]) { y = Softmax(x, axis=1); return y }"},
    {"log_softmax", "graph(x: f16[6,20]) { y = LogSoftmax(x); return y }"},
    {"layer_norm",
     "graph(x: f32[5,70], e: f32[5,70], w: param f32[70], b: param f32[70]) { s = Add(x, e); y = LayerNormalization(s, w, b); z = "
     "Relu(y); return s, z }"},
    {"rms_norm", "graph(x: f16[3,4,48], w: param f16[48]) { y = RMSNormalization(x, w); return y }"},
    {"written_out_norm",
     R"(graph(x: f32[2,9,40], w: param f32[40]) { two = Constant(value=2.0); e = Constant(value=0.00001); p = Pow(x, two);
      m = ReduceMean(p, axes=[-1]); a = Add(m, e); r = Sqrt(a); q = Div(x, r); y = Mul(q, w); return y })"},
    {"reduce_across", "graph(x: f32[3,8,5,6]) { m = ReduceMean(x, axes=[1,3], keepdims=0); y = Exp(m); return y }"},
    {"reduce_all", "graph(x: f32[13,9]) { y = ReduceMax(x, keepdims=0); return y }"},
    {"reduce_rows", "graph(x: f16[13,20]) { y = ReduceMax(x, axes=[1]); z = Sub(x, y); return z }"},
    {"global_pool", "graph(x: f32[2,5,3,7]) { y = GlobalAveragePool(x); return y }"},
    {"matmul",
     "graph(a: f32[33,70], b: param f32[70,50], c: param f32[50]) { p = MatMul(a, b); s = Add(p, c); y = Relu(s); return y }"},
    {"matmul_f16",
     "graph(a: f16[2,17,40], b: param f16[40,24], r: f16[2,17,24]) { p = MatMul(a, b); g = Gelu(p); y = Add(g, r); return y }"},
    {"matmul_one_row", "graph(a: f32[1,1,65], b: param f32[65,33]) { y = MatMul(a, b); return y }"},
    {"gemm_one_row",
     "graph(a: f32[1,60], b: f32[32,60], c: f32[32]) { g = Gemm(a, b, c, transB=1); r = Relu(g); y = Identity(r); return y }"},
    {"matmul_batched", "graph(a: f32[2,3,20,18], b: f32[3,18,9]) { y = MatMul(a, b); return y }"},
    {"matmul_prologue",
     "graph(a: f32[20,36], g: f32[20,36], b: param f32[36,10]) { s = Swish(a); h = Mul(s, g); y = MatMul(h, b); return y }"},
    {"matmul_heads",
     "graph(a: f32[2,10,24], b: param f32[24,32]) { p = MatMul(a, b); r = Reshape(p, shape=[2,10,4,8]); y = Transpose(r, "
     "perm=[0,2,1,3]); return y }"},
    {"gemm",
     "graph(a: f32[30,19], b: f32[21,30], c: f32[21]) { y = Gemm(a, b, c, transA=1, transB=1, alpha=0.5, beta=2.0); return y }"},
    {"conv",
     "graph(x: f32[2,5,9,7], w: param f32[6,5,3,3], b: param f32[6]) { c = Conv(x, w, b, pads=[1,1,1,1], strides=[2,1]); y = "
     "Relu(c); return y }"},
    // Among special inputs weights are infinite: a tap in the padding is left out, and is not zero times infinity.
    {"conv_of_computed_weights", "graph(x: f32[1,16,12,12], w: f32[16,16,3,3]) { y = Conv(x, w, pads=[1,1,1,1]); return y }"},
    {"conv_groups", "graph(x: f32[1,8,6,6], w: param f32[8,4,1,1]) { y = Conv(x, w, group=2); return y }"},
    {"attention", "graph(q: f32[1,2,13,24], k: f32[1,2,21,24], v: f32[1,2,21,24]) { y = Attention(q, k, v); return y }"},
    {"attention_of_eight", "graph(q: f32[1,2,13,8], k: f32[1,2,21,8], v: f32[1,2,21,4]) { y = Attention(q, k, v); return y }"},
    {"attention_of_one",
     "graph(q: f16[1,2,13,1], k: f16[1,2,21,1], v: f16[1,2,21,2]) { y = Attention(q, k, v, is_causal=1); return y }"},
    {"attention_causal",
     "graph(q: f32[2,4,37,16], k: f32[2,2,37,16], v: f32[2,2,37,16]) { y = Attention(q, k, v, is_causal=1); return y }"},
    {"attention_masked",
     "graph(q: f16[1,2,20,32], k: f16[1,2,40,32], v: f16[1,2,40,32], m: f16[20,40]) { y = Attention(q, k, v, m); return y }"},
    {"attention_bool",
     "graph(q: f32[1,2,9,16], k: f32[1,2,30,16], v: f32[1,2,30,16], m: bool[9,30]) { y = Attention(q, k, v, m); return y }"},
};

Result<python::PythonProgram> find() {
  return python::find_python("triton");
}

class TritonInterpreted : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { interpreter_ = new TritonInterpreter(find); }
  static void TearDownTestSuite() {
    delete interpreter_;
    interpreter_ = nullptr;
  }
  static TritonInterpreter* interpreter_;
};
TritonInterpreter* TritonInterpreted::interpreter_ = nullptr;

class TritonMatches : public TritonInterpreted, public ::testing::WithParamInterface<Case> {};

TEST_P(TritonMatches, TheReference) {
  const TritonGenerator generator;
  const Target target = virtual_target("sm_90a").value().target;
  const Graph graph = graph_from(GetParam().graph);
  const Support support = generator.supports(graph, target);
  ASSERT_TRUE(support.yes) << support.why_not;
  const auto source = generator.generate(graph, generator.default_config(graph, target), target);
  ASSERT_TRUE(source.ok()) << source.error().message;
  if (const Availability usable = interpreter_->probe(); !usable.usable) GTEST_SKIP() << "SKIPPED: " << usable.reason;
  for (const InputPattern pattern :
       {InputPattern::kUniform, InputPattern::kLarge, InputPattern::kSpecial, InputPattern::kDenormal}) {
    std::vector<RealTensor> inputs = make_inputs(graph, {pattern, 1});
    std::vector<std::vector<std::byte>> packed;
    for (RealTensor& input : inputs) {
      round_to_dtype(input);
      packed.push_back(pack(input));
    }
    const auto outputs = interpreter_->run(source.value(), packed, 1);
    ASSERT_TRUE(outputs.ok()) << outputs.error().message << "\n" << source.value().text;
    std::vector<RealTensor> actual;
    for (std::size_t i = 0; i < graph.outputs().size(); ++i)
      actual.push_back(unpack(graph.type(graph.outputs()[i]), outputs.value()[i]).value());
    const auto expected = expected_outputs(graph, inputs, 1);
    ASSERT_TRUE(expected.ok()) << expected.error().message;
    const Verification found = compare_outputs(graph, expected.value(), actual, {}, pattern);
    const bool is_open = pattern != InputPattern::kUniform && only_unjudged(found);
    EXPECT_TRUE(found.passed || is_open) << name_of(pattern) << " inputs: " << found.detail << "\n" << source.value().text;
  }
}

// What lies beside a buffer is NaN, so that a text that reads there is found.
TEST_F(TritonInterpreted, AReadBesideABufferIsNaN) {
  if (const Availability usable = interpreter_->probe(); !usable.usable) GTEST_SKIP() << "SKIPPED: " << usable.reason;
  const Graph graph = graph_from("graph(x: f32[64]) { y = Relu(x); return y }");
  SourceModule source =
      TritonGenerator()
          .generate(graph, {{"block", std::int64_t{128}}, {"warps", std::int64_t{1}}}, virtual_target("sm_90a").value().target)
          .value();
  source.text.replace(source.text.find("x_p + col"), 9, "x_p + col + 1");
  const auto outputs = interpreter_->run(source, {std::vector<std::vector<std::byte>>{std::vector<std::byte>(256)}}, 1);
  ASSERT_TRUE(outputs.ok()) << outputs.error().message;
  EXPECT_TRUE(std::isnan(unpack(graph.type(graph.outputs()[0]), outputs.value()[0]).value().data.back()));
}

INSTANTIATE_TEST_SUITE_P(Texts, TritonMatches, ::testing::ValuesIn(kCases),
                         [](const auto& each) { return std::string(each.param.name); });

}  // namespace
}  // namespace fuselab::triton
