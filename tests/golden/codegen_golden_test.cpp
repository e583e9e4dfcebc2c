// SPDX-License-Identifier: Apache-2.0
// The generated text of a handful of kernels. FUSELAB_UPDATE_GOLDENS=1 rewrites the files; a mismatch leaves <file>.actual.
#include <gtest/gtest.h>

#include <filesystem>

#include "backends/cpu/cpu_backend.h"
#include "tests/support/recorded_text.h"

namespace fuselab {
namespace {

struct Sample {
  test::RecordedKernel kernel;
  bool neon = false;
};

constexpr Sample kSamples[] = {
    {{"bias_gelu", R"(graph(x: f32[512,768], b: param f32[768]) { s = Add(x, b); y = Gelu(s, approximate="tanh"); return y })",
      "grain=4096,nontemporal=1,threads=2,unroll=2,vector=8"}},
    {{"residual_rmsnorm",
      "graph(x: f32[64,100], e: f32[64,100], w: param f32[100]) { s = Add(x, e); y = RMSNormalization(s, w); return s, y }",
      "nontemporal=0,rows_per_task=4,stage=1,threads=2,unroll=4,vector=8"}},
    {{"softmax", "graph(x: f32[17,65]) { y = Softmax(x); return y }",
      "nontemporal=0,rows_per_task=1,stage=0,threads=2,unroll=1,vector=8"}},
    {{"matmul_bias_relu",
      "graph(x: f32[65,63], w: param f32[63,130], b: param f32[130]) { p = MatMul(x, w); s = Add(p, b); y = Relu(s); return y }",
      "loop_order=0,pack=2,rows_per_task=65,threads=2,tile_m=4,tile_n=2,vector=8"}},
    {{"integer_product",
      "graph(x: u8[33,63], z: u8[], w: param i8[63,130], s: f32[], b: param f32[130]) { a = Cast(x, to=\"i32\"); "
      "z32 = Cast(z, to=\"i32\"); c = Sub(a, z32); d = Cast(w, to=\"i32\"); p = MatMul(c, d); n = Cast(p, to=\"f32\"); "
      "m = Mul(n, s); y = Add(m, b); return y }",
      "dot=pairs,pack=2,rows_per_task=33,threads=2,tile_m=4,tile_n=2,vector=8"}},
    {{"top_of_rows", "graph(x: f32[40,100]) { v, p = TopK(x, k=5); return v, p }", "grain=256,threads=2"}},
    {{"transpose", "graph(x: i64[65,130]) { y = Transpose(x); return y }", "grain=4096,threads=2,tile=16"}},
    {{"neon_residual_rmsnorm",
      "graph(x: f32[64,100], e: f32[64,100], w: param f32[100]) { s = Add(x, e); y = RMSNormalization(s, w); return s, y }",
      "nontemporal=1,rows_per_task=4,stage=1,threads=2,unroll=4,vector=4"},
     true},
    {{"neon_matmul_bias_relu",
      "graph(x: f32[65,63], w: param f32[63,130], b: param f32[130]) { p = MatMul(x, w); s = Add(p, b); y = Relu(s); return y }",
      "loop_order=0,pack=1,rows_per_task=64,threads=2,tile_m=4,tile_n=2,vector=4"},
     true},
    {{"neon_max_pool", "graph(x: f32[1,8,17,19]) { y = MaxPool(x, kernel_shape=[3,3], strides=[2,2], pads=[1,1,1,1]); return y }",
      "rows_per_task=4,threads=2,vector=4"},
     true},
};

class GeneratedText : public ::testing::TestWithParam<Sample> {};

TEST_P(GeneratedText, IsAsRecorded) {
  const Target avx2{"x86-64-v3", "x86-64", {{"vector_bytes", 32}, {"cores", 2}}};
  const Target neon{"armv8-a+simd", "aarch64", {{"vector_bytes", 16}, {"cores", 2}}};
  const Target& target = GetParam().neon ? neon : avx2;
  const auto backend = make_cpu_backend();
  const auto text = test::text_of(GetParam().kernel, *backend->generator(), target);
  ASSERT_TRUE(text.ok()) << text.error().message;
  test::expect_as_recorded(std::filesystem::path(GOLDEN_FOLDER) / (std::string(GetParam().kernel.name) + ".c"), text.value());
}

INSTANTIATE_TEST_SUITE_P(Kernels, GeneratedText, ::testing::ValuesIn(kSamples),
                         [](const auto& each) { return std::string(each.param.kernel.name); });

}  // namespace
}  // namespace fuselab
