// SPDX-License-Identifier: Apache-2.0
#include "backends/triton/triton_generator.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "backends/triton/triton_compiler.h"
#include "core/kernel/virtual_target.h"
#include "tests/support/graph_builder.h"

namespace fuselab::triton {
namespace {

using fuselab::testing::graph_from;
using ::testing::HasSubstr;
using ::testing::Not;

Target target(const char* id) {
  return virtual_target(id).value().target;
}

TEST(TritonGenerator, KnowsWhatTritonCompilesFor) {
  EXPECT_EQ(triton_target(target("sm_90a")).value().arch, "90");
  EXPECT_EQ(triton_target(target("sm_120")).value().backend, "cuda");
  EXPECT_EQ(triton_target(target("gfx942")).value().backend, "hip");
  EXPECT_EQ(triton_target(target("gfx942")).value().warp, 64);
  EXPECT_THAT(triton_target(target("sm_75")).error().message, HasSubstr("sm_80"));
  EXPECT_FALSE(triton_target(target("x86-64-v3")).ok());
}

TEST(TritonGenerator, SaysHowAKernelIsCalled) {
  const TritonGenerator generator;
  const Graph graph = graph_from("graph(x: f32[1000], y: f32[1000]) { z = Add(x, y); return z }");
  const auto module = generator.generate(graph, {{"block", std::int64_t{256}}, {"warps", std::int64_t{2}}}, target("sm_90a"));
  ASSERT_TRUE(module.ok()) << module.error().message;
  const KernelAbi& abi = module.value().abi;
  EXPECT_EQ(abi.grid_x.text, "4");
  EXPECT_EQ(abi.block_x.text, "64");
  ASSERT_EQ(abi.parameters.size(), 5U);
  EXPECT_EQ(abi.parameters[2].buffer, 2);
  EXPECT_EQ(abi.parameters[4].number, "0");
  EXPECT_EQ(module.value().flags, "--num-warps=2 --num-stages=1");
  EXPECT_EQ(module.value().text,
            generator.generate(graph, {{"block", std::int64_t{256}}, {"warps", std::int64_t{2}}}, target("gfx942")).value().text);
}

TEST(TritonGenerator, SaysWhyNot) {
  const TritonGenerator generator;
  const auto why_not = [&](const char* text) { return generator.supports(graph_from(text), target("sm_90a")).why_not; };
  EXPECT_THAT(why_not("graph(x: f32[4,8]) { y = CumSum(x, axis=1); return y }"), HasSubstr("CumSum is not written"));
  EXPECT_THAT(why_not("graph(x: f32[4,8], e: f32[4,8]) { y = Pow(x, e); return y }"), HasSubstr("exponent"));
  EXPECT_THAT(why_not("graph(x: f64[4,8], w: f64[8,4]) { y = MatMul(x, w); return y }"), HasSubstr("f64"));
  EXPECT_THAT(why_not("graph(x: f32[2,200000]) { y = Softmax(x); return y }"), HasSubstr("65536"));
}

std::string text_of(const char* graph) {
  const TritonGenerator generator;
  const Graph parsed = graph_from(graph);
  const auto module = generator.generate(parsed, generator.default_config(parsed, target("sm_90a")), target("sm_90a"));
  return module.ok() ? module.value().text : module.error().message;
}

// A product takes at least 16 numbers, however short a head is.
TEST(TritonGenerator, MasksWhatLiesBesideAShortHead) {
  for (const char* const head : {"1", "2", "4", "8"}) {
    const std::string shape = std::string("f16[1,2,32,") + head + "]";
    const std::string text =
        text_of(("graph(q: " + shape + ", k: " + shape + ", v: " + shape + ") { y = Attention(q, k, v); return y }").c_str());
    for (const char* const block : {"d[None, :] < ", "d[:, None] < ", "e[None, :] < "})
      EXPECT_THAT(text, HasSubstr(std::string(block) + head)) << text;
  }
}

TEST(TritonGenerator, SumsOnceMoreWithoutPaddingWhatIsNotFinite) {
  constexpr const char* kAgain = "if tl.max(tl.max(((acc != acc)";
  EXPECT_THAT(text_of("graph(x: f32[1,8,6,6], w: f32[8,8,3,3]) { y = Conv(x, w, pads=[1,1,1,1]); return y }"), HasSubstr(kAgain));
  EXPECT_THAT(text_of("graph(x: f32[1,8,6,6], w: f32[8,8,3,3]) { y = Conv(x, w); return y }"), Not(HasSubstr(kAgain)));
}

TEST(TritonGenerator, WritesAViewBehindAProductOfOneRow) {
  EXPECT_THAT(text_of("graph(a: f32[1,60], b: f32[32,60]) { g = Gemm(a, b, transB=1); r = Relu(g); y = Identity(r); return y }"),
              HasSubstr("tl.dot"));
  EXPECT_THAT(text_of("graph(a: f32[1,60], b: f32[60,32]) { g = MatMul(a, b); y = Reshape(g, shape=[32]); return y }"),
              HasSubstr("tl.dot"));
}

TEST(TritonGenerator, KeepsNaNAndTheEndsOfNumbers) {
  EXPECT_THAT(text_of("graph(x: f32[8,100]) { y = ReduceMax(x, axes=[1]); return y }"), HasSubstr("float('nan')"));
  EXPECT_THAT(text_of("graph(x: f32[100]) { h = Constant(value=0.5); y = Pow(x, h); return y }"), HasSubstr("== -float('inf')"));
  EXPECT_THAT(text_of("graph(x: i32[100]) { y = Cast(x, to=\"i8\"); z = Cast(y, to=\"f32\"); return z }"),
              HasSubstr(".to(tl.int8).to(tl.int64)"));
  const std::string clamped = text_of("graph(x: f32[100]) { y = Cast(x, to=\"i32\"); return y }");
  EXPECT_LT(clamped.find("< 2147483648.0"), clamped.find(".to(tl.int64)")) << "a cast of what is out of range is not defined\n"
                                                                           << clamped;
}

// Python reads how a file is coded from its first two lines.
TEST(TritonGenerator, LetsNoGraphSayHowItsTextIsCoded) {
  const std::string text = text_of("graph(x: f32[100]) { y = Gelu(x); return y }");
  EXPECT_GT(text.find("# graph("), text.find('\n', text.find('\n') + 1));
}

// What is claimed is held against what is written in tests/conformance/backends/triton_texts_test.cpp.
TEST(TritonGenerator, ClaimsNoOperatorThatItDoesNotWrite) {
  const std::vector<Op> claimed = triton_capabilities().operators;
  for (const Op op : {Op::kCumSum, Op::kLSTM}) EXPECT_THAT(claimed, ::testing::Not(::testing::Contains(op)));
  for (const Op op : {Op::kMatMul, Op::kGelu, Op::kSoftmax, Op::kAttention}) EXPECT_THAT(claimed, ::testing::Contains(op));
}

TEST(TritonGenerator, HasAValidDefaultForEveryTarget) {
  const TritonGenerator generator;
  for (const char* const text :
       {"graph(x: f32[64,768]) { y = Softmax(x); return y }",
        "graph(a: bf16[512,768], b: bf16[768,3072]) { y = MatMul(a, b); return y }",
        "graph(q: f16[1,8,128,64], k: f16[1,8,128,64], v: f16[1,8,128,64]) { y = Attention(q, k, v); return y }"}) {
    for (const char* const id : {"sm_80", "sm_120", "gfx942", "gfx1100"}) {
      const Graph graph = graph_from(text);
      ASSERT_TRUE(generator.supports(graph, target(id)).yes) << generator.supports(graph, target(id)).why_not;
      EXPECT_TRUE(generator.space(graph, target(id)).check(generator.default_config(graph, target(id))).ok())
          << text << " for " << id;
    }
  }
}

// Compiled where a Python with Triton is.
TEST(TritonCompiled, GivesCodeResourcesAndItsVersions) {
  TritonCompiler compiler([] { return python::find_python("triton"); });
  if (const Availability usable = compiler.probe(); !usable.usable) GTEST_SKIP() << "SKIPPED: " << usable.reason;
  EXPECT_THAT(compiler.fingerprint().version, HasSubstr("+helper" + python::helper_version()));
  const TritonGenerator generator;
  const Graph graph = graph_from("graph(a: f16[64,64], b: f16[64,64]) { p = MatMul(a, b); y = Relu(p); return y }");
  for (const auto& [id, format] : {std::pair("sm_90a", "cubin"), std::pair("gfx942", "hsaco")}) {
    const auto source = generator.generate(graph, generator.default_config(graph, target(id)), target(id));
    ASSERT_TRUE(source.ok()) << source.error().message;
    const auto binary = compiler.compile(source.value(), target(id), OptimizationLevel::kO2, {});
    ASSERT_TRUE(binary.ok()) << binary.error().message << "\n" << source.value().text;
    EXPECT_EQ(binary.value().format, format);
    EXPECT_GT(std::stoi(binary.value().metadata.at("resource.registers")), 0);
    EXPECT_GT(std::stoi(binary.value().metadata.at("launch.shared_bytes")), 0);
  }
}

TEST(TritonCompiled, PassesItsComplaintOn) {
  TritonCompiler compiler([] { return python::find_python("triton"); });
  if (const Availability usable = compiler.probe(); !usable.usable) GTEST_SKIP() << "SKIPPED: " << usable.reason;
  SourceModule source;
  source.entry = "fuselab_kernel";
  source.text = "import triton\nimport triton.language as tl\n\n\n@triton.jit\ndef fuselab_kernel():\n    x = tl.arange(0, 100)\n";
  const auto binary = compiler.compile(source, target("sm_90a"), OptimizationLevel::kO2, {});
  ASSERT_FALSE(binary.ok());
  EXPECT_EQ(binary.error().code, ErrorCode::kCompileFailed);
  EXPECT_THAT(binary.error().message, HasSubstr("power of 2"));
}

}  // namespace
}  // namespace fuselab::triton
