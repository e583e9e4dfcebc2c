// SPDX-License-Identifier: Apache-2.0
// The OpenCL C text of a handful of kernels, without the prelude that all of them begin with. FUSELAB_UPDATE_GOLDENS=1 rewrites the
// files; a mismatch leaves <file>.actual.
#include <gtest/gtest.h>

#include <filesystem>

#include "backends/codegen/emit/dialect.h"
#include "backends/opencl/opencl_generator.h"
#include "core/graph/graph_text.h"
#include "tests/support/recorded_text.h"

namespace fuselab::opencl {
namespace {

constexpr test::RecordedKernel kSamples[] = {
    {"bias_gelu_f16", R"(graph(x: f16[512,768], b: param f16[768]) { s = Add(x, b); y = Gelu(s); return y })",
     "block=256,items=2,persistent=0,streaming=0,vector=8"},
    {"residual_rmsnorm",
     "graph(x: f32[64,1024], e: f32[64,1024], w: param f32[1024]) { s = Add(x, e); y = RMSNormalization(s, w); return s, y }",
     "block=128,keep=2,persistent=4,rows_per_block=2,streaming=0,unroll=1,vector=4"},
    {"softmax_few_items", "graph(x: f32[17,65]) { y = Softmax(x); return y }",
     "block=64,keep=0,persistent=0,rows_per_block=16,streaming=0,unroll=2,vector=1"},
    {"matmul_in_local_memory",
     "graph(a: f32[17,37], b: param f32[37,20], c: param f32[20]) { v = MatMul(a, b); w = Add(v, c); y = Relu(w); return y }",
     "columns_of_block=8,depth=8,rows_of_block=4,tile_m=2,tile_n=1,unroll=2,vector=2"},
    {"conv_where_it_lies",
     "graph(x: f16[2,3,9,11], w: param f16[8,3,3,3]) { y = Conv(x, w, pads=[1,1,1,1], strides=[2,2]); return y }",
     "columns_of_block=8,depth=0,rows_of_block=4,tile_m=2,tile_n=2,unroll=1,vector=1"},
    {"attention_causal",
     "graph(q: f32[1,2,13,24], k: f32[1,2,21,24], v: f32[1,2,21,10]) { y = Attention(q, k, v, is_causal=1); return y }",
     "block=64,vector=4"},
    {"top_of_columns", "graph(x: f16[31,90]) { v, p = TopK(x, k=4, axis=0, largest=0); return v }", "block=64,items=1"},
    {"attention_masked",
     "graph(q: f32[1,2,13,24], k: f32[1,2,21,24], v: f32[1,2,21,10], m: bool[13,21]) { y = Attention(q, k, v, m); return y }",
     "block=64,vector=4"},
    {"running_sum", "graph(x: f32[19,31]) { y = CumSum(x, axis=1); return y }", "block=64,items=4"},
};

// A device as OpenCL describes one, whatever is installed here.
Target plain_target() {
  return {"opencl-plain",
          "opencl",
          {{"max_threads", 1024},
           {"shared_bytes", 32 << 10},
           {"multiprocessors", 4},
           {"lane_shuffles", 0},
           {"streaming_stores", 0},
           {"f64", 1}}};
}

class OpenClText : public ::testing::TestWithParam<test::RecordedKernel> {};

TEST_P(OpenClText, IsAsRecorded) {
  const OpenClGenerator generator;
  const auto text = test::text_of(GetParam(), generator, plain_target());
  ASSERT_TRUE(text.ok()) << text.error().message;
  const std::string_view preamble = codegen::opencl_dialect().preamble;
  ASSERT_TRUE(text.value().starts_with(preamble));
  const std::string file = std::string(GetParam().name) + ".cl";
  test::expect_as_recorded(std::filesystem::path(GOLDEN_FOLDER) / file, text.value().substr(preamble.size()));
}

INSTANTIATE_TEST_SUITE_P(Kernels, OpenClText, ::testing::ValuesIn(kSamples),
                         [](const auto& each) { return std::string(each.param.name); });

// Its whole functions between reals and whole numbers, too: an unsuffixed constant is a double.
TEST(OpenClGenerator, NamesNoDoubleWhereSinglePrecisionIsEnough) {
  const OpenClGenerator generator;
  const Graph graph = parse_graph("graph(x: f32[8,9]) { v, p = TopK(x, k=3); return v, p }").value();
  const auto source = generator.generate(graph, generator.default_config(graph, plain_target()), plain_target());
  ASSERT_TRUE(source.ok()) << source.error().message;
  const std::string text = source.value().text.substr(codegen::opencl_dialect().preamble.size());
  EXPECT_NE(text.find("0x1p63f"), std::string::npos);
  for (const char* const wide : {"double", "f64", "1e-9 ", "0x1p63 ", "0x1p63)"})
    EXPECT_EQ(text.find(wide), std::string::npos) << wide;
}

TEST(OpenClGenerator, RefusesWhatTheTargetLacks) {
  const OpenClGenerator generator;
  Target without_doubles = plain_target();
  without_doubles.limits.erase("f64");
  const auto doubles = parse_graph("graph(x: f64[8]) { y = Exp(x); return y }");
  EXPECT_EQ(generator.supports(doubles.value(), without_doubles).why_not, "the device has no double precision (cl_khr_fp64)");
  const auto within = parse_graph("graph(x: f32[8]) { d = Cast(x, to=\"f64\"); e = Exp(d); y = Cast(e, to=\"f32\"); return y }");
  ASSERT_TRUE(within.ok()) << within.error().message;
  EXPECT_FALSE(generator.supports(within.value(), without_doubles).yes);
  const auto singles = parse_graph("graph(x: f32[8]) { y = Exp(x); return y }");
  EXPECT_TRUE(generator.supports(singles.value(), without_doubles).yes);
  const auto sums = parse_graph("graph(x: f32[8]) { y = CumSum(x, axis=0); return y }");
  EXPECT_TRUE(generator.supports(sums.value(), without_doubles).yes) << "f32 is exact enough";
  const auto places = parse_graph("graph(x: f32[8,9]) { e = Exp(x); y = ArgMax(e, axis=1); return y }");
  EXPECT_EQ(generator.supports(places.value(), without_doubles).why_not,
            "single elements are computed in double precision, which the device does not have (cl_khr_fp64)");
  EXPECT_TRUE(generator.supports(places.value(), plain_target()).yes);
  const auto whole = parse_graph("graph(x: i64[8]) { y = CumSum(x, axis=0); return y }");
  EXPECT_TRUE(generator.supports(whole.value(), without_doubles).yes) << "no real number is computed";
  EXPECT_EQ(generator.supports(singles.value(), {"sm_90", "cuda", {}}).why_not, "target sm_90 is not an OpenCL target");
  const ParameterSpace space = generator.space(singles.value(), without_doubles);
  for (const Parameter& axis : space.parameters()) {
    if (axis.name != "streaming") continue;
    EXPECT_EQ(axis.values.size(), 1U) << "the language has no such stores";
  }
}

}  // namespace
}  // namespace fuselab::opencl
