// SPDX-License-Identifier: Apache-2.0
// The Triton text of a handful of kernels. FUSELAB_UPDATE_GOLDENS=1 rewrites the files; a mismatch leaves <file>.actual.
#include <gtest/gtest.h>

#include <filesystem>

#include "backends/triton/triton_generator.h"
#include "core/kernel/virtual_target.h"
#include "tests/support/recorded_text.h"

namespace fuselab::triton {
namespace {

constexpr test::RecordedKernel kSamples[] = {
    {"triton_bias_gelu", "graph(x: f32[512,768], b: param f32[768]) { s = Add(x, b); y = Gelu(s); return y }",
     "block=1024,warps=4"},
    {"triton_residual_layer_norm",
     "graph(x: f32[64,70], e: f32[64,70], w: param f32[70], b: param f32[70]) { s = Add(x, e); y = LayerNormalization(s, w, b); "
     "return s, y }",
     "rows=2,warps=4"},
    {"triton_matmul_to_heads",
     R"(graph(a: bf16[2,128,256], b: param bf16[256,128], c: param bf16[128]) { p = MatMul(a, b); s = Add(p, c); g = Relu(s);
      r = Reshape(g, shape=[2,128,4,32]); y = Transpose(r, perm=[0,2,1,3]); return y })",
     "group=8,stages=3,tile_k=64,tile_m=64,tile_n=128,warps=4"},
    {"triton_conv", "graph(x: f32[1,16,14,14], w: param f32[32,16,3,3]) { c = Conv(x, w, pads=[1,1,1,1]); y = Relu(c); return y }",
     "group=4,precision=ieee,stages=2,tile_k=32,tile_m=32,tile_n=64,warps=4"},
    {"triton_attention_causal",
     "graph(q: f16[1,8,100,64], k: f16[1,2,100,64], v: f16[1,2,100,64]) { y = Attention(q, k, v, is_causal=1); return y }",
     "stages=2,tile_k=64,tile_q=64,warps=4"},
};

class TritonText : public ::testing::TestWithParam<test::RecordedKernel> {};

TEST_P(TritonText, IsAsRecorded) {
  const TritonGenerator generator;
  const auto text = test::text_of(GetParam(), generator, virtual_target("sm_90a").value().target);
  ASSERT_TRUE(text.ok()) << text.error().message;
  test::expect_as_recorded(std::filesystem::path(GOLDEN_FOLDER) / (std::string(GetParam().name).substr(7) + ".py"), text.value());
}

INSTANTIATE_TEST_SUITE_P(Kernels, TritonText, ::testing::ValuesIn(kSamples),
                         [](const auto& each) { return std::string(each.param.name); });

}  // namespace
}  // namespace fuselab::triton
