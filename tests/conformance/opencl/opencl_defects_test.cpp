// SPDX-License-Identifier: Apache-2.0
// Ways in which a generator of OpenCL kernels goes wrong, put into generated text one at a time: each must be caught on the first
// device that there is, the text as generated must pass.
#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>

#include "core/graph/graph_text.h"
#include "tests/conformance/backend_case.h"
#include "tests/conformance/kernel_run.h"
#include "tests/support/seeded_defect.h"

namespace fuselab::conformance {
namespace {

constexpr const char* kSoftmax = "graph(x: f32[17,65]) { y = Softmax(x); return y }";
constexpr const char* kOneRow = "block=64,keep=0,persistent=0,rows_per_block=1,streaming=0,unroll=1,vector=1";
constexpr const char* kManyRows = "block=64,keep=0,persistent=0,rows_per_block=16,streaming=0,unroll=1,vector=1";
constexpr const char* kInLocal = "block=64,keep=2,persistent=0,rows_per_block=1,streaming=0,unroll=1,vector=1";
constexpr const char* kResidualNorm =
    "graph(x: f32[17,64], e: f32[17,64], w: param f32[64]) { s = Add(x, e); y = RMSNormalization(s, w); return s, y }";
constexpr const char* kBiasGelu = "graph(x: f32[17,64], b: param f32[64]) { s = Add(x, b); y = Gelu(s); return y }";
constexpr const char* kVectors = "block=64,items=2,persistent=0,streaming=0,vector=4";
constexpr const char* kExp = "graph(x: f32[2003]) { y = Exp(x); return y }";
constexpr const char* kPersistent = "block=64,items=1,persistent=1,streaming=0,vector=4";

constexpr const char* kProduct =
    "graph(a: f32[17,37], b: param f32[37,20], c: param f32[20]) { v = MatMul(a, b); w = Add(v, c); y = Relu(w); return y }";
constexpr const char* kShared = "columns_of_block=8,depth=8,rows_of_block=4,tile_m=2,tile_n=1,unroll=1,vector=2";
constexpr const char* kInPlace = "columns_of_block=8,depth=0,rows_of_block=4,tile_m=2,tile_n=1,unroll=1,vector=2";
constexpr const char* kWindow =
    "graph(x: f32[2,3,9,11], w: param f32[8,3,3,3]) { y = Conv(x, w, pads=[1,1,1,1], strides=[2,2]); return y }";
constexpr const char* kWindowInPlace = "columns_of_block=8,depth=0,rows_of_block=4,tile_m=2,tile_n=2,unroll=1,vector=1";
constexpr const char* kAttention =
    "graph(q: f32[1,2,13,24], k: f32[1,2,71,24], v: f32[1,2,71,10]) { y = Attention(q, k, v, is_causal=1); return y }";
constexpr const char* kAttentionBlock = "block=64,vector=4";
constexpr const char* kSums = "graph(x: f32[19,31]) { y = CumSum(x, axis=1); return y }";
constexpr const char* kSumsBlock = "block=64,items=4";

constexpr test::SeededDefect kDefects[] = {
    {"BarrierRemoved", kSoftmax, kOneRow, "  barrier(CLK_LOCAL_MEM_FENCE);\n", ""},
    {"LastColumnDropped", kSoftmax, kOneRow, "col < 65", "col < 64"},
    {"AccumulatorNotReset", kSoftmax, kOneRow, "row_sum_acc = 0.0f", "row_sum_acc = row_max_acc"},
    {"PartialOfOneGroupTwice", kSoftmax, kOneRow, "row_sum_sums[part]", "row_sum_sums[0]"},
    {"PartialsOfAnotherRow", kSoftmax, kManyRows, "row_sum_parts[block_row * 4", "row_sum_parts[0 * 4"},
    {"StaleLocalMemory", kSoftmax, kInLocal, "store_f32x1(stage_2 + col, power);", ""},
    {"NoMaximumSubtracted", kSoftmax, kOneRow, "x_value - row_max", "x_value", InputPattern::kLarge},
    {"WrongEpsilon", kResidualNorm, kOneRow, "+ 1e-05f", "+ 1e-02f"},
    {"WrongBroadcast", kBiasGelu, kVectors, "(b + col)", "(b + col % 32)"},
    {"ActivationTooEarly", "graph(x: f32[17,64], b: param f32[64]) { s = Add(x, b); y = Relu(s); return y }", kVectors,
     "relu_f32x4(s)", "relu_f32x4(x_value) + b_value"},
    {"ReadPastTheEnd", kBiasGelu, kVectors, "load_f32x4(x + row * 64 + col);",
     "load_f32x4(x + row * 64 + col) + 0.0f * load_f32x4(x + row * 64 + col + 64);"},
    {"MissingMask", kBiasGelu, kVectors, "vec < 272", "vec < 384"},
    {"TailDropped", kExp, kPersistent, "fl_thread() < 3", "fl_thread() < 2"},
    {"TailTooLong", kExp, kPersistent, "fl_thread() < 3", "fl_thread() < 4"},
    {"TileSkipped", kExp, kPersistent, "tile += fl_grid_size()", "tile += fl_grid_size() + 1"},
    {"SwappedOperands", "graph(x: f32[17,64], z: f32[17,64]) { d = Sub(x, z); y = Exp(d); return y }", kVectors,
     "x_value - z_value", "z_value - x_value"},
    {"TileBarrierRemoved", kProduct, kShared, "    barrier(CLK_LOCAL_MEM_FENCE);\n", ""},
    {"StepsBeyondTheLast", kProduct, kShared, "step < 37", "step < 40"},
    {"RowMaskRemoved", kProduct, kInPlace, "row_ < 17 && ", ""},
    {"ColumnMaskRemoved", kProduct, kInPlace, " && column < 20", ""},
    {"LastStepDropped", kProduct, kInPlace, "k_ < 37", "k_ < 36"},
    {"WrongBiasColumn", kProduct, kInPlace, "(c + column)", "(c + thread_column)"},
    {"PaddingOnOneSideOnly", kWindow, kWindowInPlace, "from_x_ < 11", "from_x_ < 12"},
    {"WindowOffByOne", kWindow, kWindowInPlace, "* 2 - 1 + k_ % 3", "* 2 + k_ % 3"},
    {"ImageOfAnotherBatch", kWindow, kWindowInPlace, "(batch_ * 8 + row_)", "(0 * 8 + row_)"},
    {"CausalMaskOffByOne", kAttention, kAttentionBlock, "key_ > query_row", "key_ > query_row + 1"},
    {"SumOfOnePartOnly", kAttention, kAttentionBlock, "sum_of_weights = sum_of_weights + load_f32x1(parts + from_2)",
     "sum_of_weights = load_f32x1(parts + from_2)"},
    {"ScoresBarrierRemoved", kAttention, kAttentionBlock, "  barrier(CLK_LOCAL_MEM_FENCE);\n", ""},
    {"LastKeyDropped", "graph(q: f32[1,2,13,24], k: f32[1,2,71,24], v: f32[1,2,71,10]) { y = Attention(q, k, v); return y }",
     kAttentionBlock, "key_ < 71", "key_ < 70"},
    {"ElementsBeyondTheLast", kSums, kSumsBlock, "+ 256, 589", "+ 256, 653"},
    {"ElementsOfOneBlockOnly", kSums, kSumsBlock, "fl_block() * 256", "0 * 256"},
    {"SumOfOneElementLess", kSums, kSumsBlock, "at_ % 31 + 1", "at_ % 31"},
};

// Empty where the kernel matches the reference, else what is wrong.
std::string try_kernel(Opened& opened, const Graph& graph, const CompiledKernel& kernel, InputPattern pattern) {
  const auto run = KernelRun::create(*opened.runtime, kernel, graph, 0, pattern);
  if (!run.ok()) return run.error().message;
  if (const Status launched = run.value()->launch(); !launched.ok()) return launched.error().message;
  const auto verification = run.value()->verify();
  if (!verification.ok()) return verification.error().message;
  return verification.value().passed ? "" : verification.value().detail;
}

class SeededOpenClDefects : public testing::TestWithParam<std::size_t> {};

TEST_P(SeededOpenClDefects, AreCaught) {
  const test::SeededDefect& defect = kDefects[GetParam()];
  if (!has_its_turn(case_of("opencl"), static_cast<unsigned>(GetParam()))) GTEST_SKIP() << "another seed's turn";
  Opened opened = open_first_device(case_of("opencl"));
  if (!opened.why_not.empty()) GTEST_SKIP() << opened.why_not;
  const auto seeded = test::seed(defect, *opened.backend->generator(), opened.device.target);
  ASSERT_TRUE(seeded.ok()) << seeded.error().message;
  const Graph& graph = seeded.value().graph;
  const LaunchConfig& config = seeded.value().config;
  auto kernel = compile_kernel(*opened.backend, graph, config, opened.device.target, OptimizationLevel::kO2, {});
  ASSERT_TRUE(kernel.ok()) << kernel.error().message;
  EXPECT_EQ(try_kernel(opened, graph, kernel.value(), defect.pattern), "");

  auto binary = opened.backend->compiler()->compile(seeded.value().broken, opened.device.target, OptimizationLevel::kO2, {});
  ASSERT_TRUE(binary.ok()) << binary.error().message;
  kernel.value().binary = std::move(binary.value());
  EXPECT_NE(try_kernel(opened, graph, kernel.value(), defect.pattern), "") << "nobody noticed";
}

INSTANTIATE_TEST_SUITE_P(Generator, SeededOpenClDefects, testing::Range(std::size_t{0}, std::size(kDefects)),
                         [](const auto& each) { return std::string(kDefects[each.param].name); });

// What one driver made is not offered to another, and a buffer that the device does not give is refused with both sizes.
TEST(OpenClDevice, RefusesAForeignBinaryAndTooLargeABuffer) {
  Opened opened = open_first_device(case_of("opencl"));
  if (!opened.why_not.empty()) GTEST_SKIP() << opened.why_not;
  const auto graph = parse_graph(kExp).value();
  const auto config = LaunchConfig::parse(kPersistent).value();
  auto kernel = compile_kernel(*opened.backend, graph, config, opened.device.target, OptimizationLevel::kO2, {});
  ASSERT_TRUE(kernel.ok()) << kernel.error().message;
  EXPECT_TRUE(opened.runtime->load(kernel.value()).ok());
  kernel.value().identity.target += "-before";
  const auto stale = opened.runtime->load(kernel.value());
  ASSERT_FALSE(stale.ok());
  EXPECT_EQ(stale.error().code, ErrorCode::kUnsupported);
  kernel.value().identity.target = opened.device.target.id;
  kernel.value().binary.data.resize(kernel.value().binary.data.size() / 2);
  std::fill(kernel.value().binary.data.begin(), kernel.value().binary.data.end(), std::byte{0});
  EXPECT_FALSE(opened.runtime->load(kernel.value()).ok()) << "no program at all";

  const std::int64_t most = opened.device.target.limits.at("max_allocation_bytes");
  const auto buffer = opened.runtime->allocate({most + 1}, BufferRole::kIn);
  ASSERT_FALSE(buffer.ok());
  EXPECT_EQ(buffer.error().code, ErrorCode::kOutOfMemory);
}

}  // namespace
}  // namespace fuselab::conformance
