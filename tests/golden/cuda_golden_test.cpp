// SPDX-License-Identifier: Apache-2.0
// The CUDA text of a handful of kernels, without what all of them begin with (resources/kernels/cuda). FUSELAB_UPDATE_GOLDENS=1
// rewrites the files; a mismatch leaves <file>.actual.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "backends/codegen/emit/dialect.h"
#include "backends/cuda/cuda_generator.h"
#include "backends/cuda/driver/cuda_targets.h"
#include "tests/support/recorded_text.h"

namespace fuselab::cuda {
namespace {

constexpr test::RecordedKernel kSamples[] = {
    {"bias_gelu", R"(graph(x: f32[512,768], b: param f32[768]) { s = Add(x, b); y = Gelu(s); return y })",
     "block=256,items=2,persistent=0,streaming=1,vector=4"},
    {"rotate_half", R"(graph(q: f16[4,32,64], cos: f16[32,64], sin: f16[32,64]) { l = Slice(q, starts=[0], ends=[32], axes=[-1]);
      h = Slice(q, starts=[32], ends=[64], axes=[-1]); n = Neg(h); t = Concat(n, l, axis=-1); a = Mul(q, cos); b = Mul(t, sin);
      y = Add(a, b); return y })",
     "block=128,items=1,persistent=2,streaming=0,vector=8"},
    {"residual_rmsnorm",
     "graph(x: bf16[64,1024], e: bf16[64,1024], w: param bf16[1024]) { s = Add(x, e); y = RMSNormalization(s, w); return s, y }",
     "block=128,keep=1,persistent=4,rows_per_block=2,streaming=0,unroll=1,vector=8"},
    {"softmax_few_threads", "graph(x: f32[17,65]) { y = Softmax(x); return y }",
     "block=64,keep=0,persistent=0,rows_per_block=4,streaming=0,unroll=2,vector=1"},
    {"softmax_running", "graph(x: f32[8,262144]) { y = Softmax(x); return y }",
     "block=1024,keep=3,persistent=1,rows_per_block=1,streaming=0,unroll=4,vector=4"},
    {"rmsnorm_asked_for", "graph(x: bf16[8,65536], w: param bf16[65536]) { y = RMSNormalization(x, w); return y }",
     "block=1024,keep=4,persistent=0,rows_per_block=1,streaming=1,unroll=1,vector=8"},
    {"layernorm_shared",
     "graph(x: f32[8,2048], w: param f32[2048], b: param f32[2048]) { y = LayerNormalization(x, w, b); return y }",
     "block=256,keep=2,persistent=0,rows_per_block=1,streaming=0,unroll=2,vector=4"},
};

const Target& hopper() {
  const std::vector<Target>& targets = cuda_targets();
  return *std::find_if(targets.begin(), targets.end(), [](const Target& target) { return target.id == "sm_90"; });
}

std::string kernel_alone(const std::string& text) {
  const std::string_view prelude = codegen::cuda_prelude();
  std::string_view lanes = codegen::cuda_dialect().prelude_file("vector", DType::kF32);
  lanes.remove_prefix(lanes.find('\n') + 1);  // its licence is not repeated
  EXPECT_TRUE(text.starts_with(prelude));
  const std::size_t begin = text.find(lanes, prelude.size());
  EXPECT_NE(begin, std::string::npos);
  if (!text.starts_with(prelude) || begin == std::string::npos) return text;
  return text.substr(prelude.size(), begin - prelude.size()) + text.substr(begin + lanes.size());
}

class CudaText : public ::testing::TestWithParam<test::RecordedKernel> {};

TEST_P(CudaText, IsAsRecorded) {
  const CudaGenerator generator;
  const auto text = test::text_of(GetParam(), generator, hopper());
  ASSERT_TRUE(text.ok()) << text.error().message;
  const std::string file = std::string(GetParam().name) + ".cu";
  test::expect_as_recorded(std::filesystem::path(GOLDEN_FOLDER) / file, kernel_alone(text.value()));
}

INSTANTIATE_TEST_SUITE_P(Kernels, CudaText, ::testing::ValuesIn(kSamples),
                         [](const auto& each) { return std::string(each.param.name); });

}  // namespace
}  // namespace fuselab::cuda
