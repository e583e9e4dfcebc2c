// SPDX-License-Identifier: Apache-2.0
#include "backends/codegen/simt/simt_family.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "backends/codegen/emit/dialect.h"
#include "backends/codegen/simt/simt_contraction.h"
#include "backends/cuda/cuda_generator.h"
#include "backends/cuda/driver/cuda_targets.h"
#include "core/graph/graph_text.h"
#include "core/workloads/workload.h"

namespace fuselab::codegen {
namespace {

const Target& target(std::string_view id = "sm_90") {
  const std::vector<Target>& all = cuda::cuda_targets();
  return *std::find_if(all.begin(), all.end(), [id](const Target& each) { return each.id == id; });
}

Graph parsed(const std::string& text) {
  return parse_graph(text).value();
}

std::string refusal(const std::string& text) {
  const Support support = cuda::CudaGenerator().supports(parsed(text), target());
  EXPECT_FALSE(support.yes);
  return support.why_not;
}

SourceModule generated(const std::string& text, const std::string& config, const Target& on = target()) {
  const Graph graph = parsed(text);
  const cuda::CudaGenerator generator;
  const LaunchConfig launch = LaunchConfig::parse(config).value();
  const auto valid = generator.space(graph, on).check(launch);
  EXPECT_TRUE(valid.ok()) << valid.error().message;
  return generator.generate(graph, launch, on).value();
}

std::size_t occurrences(const std::string& text, const std::string& word) {
  std::size_t count = 0;
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) ++count;
  return count;
}

// The text of the kernel alone.
std::string kernel_of(const SourceModule& module) {
  return module.text.substr(module.text.find("extern \"C\""));
}

constexpr const char* kSoftmax = "graph(x: f32[64,4096]) { y = Softmax(x); return y }";

TEST(SimtFamily, SaysWhatThisVersionDoesNotGenerate) {
  EXPECT_EQ(refusal("graph(x: f32[4,2,8], w: f32[1,32,8], r: f32[1,32,8]) { y, h, c = LSTM(x, w, r); return y, h, c }"),
            "LSTM: is not generated");
  EXPECT_EQ(refusal("graph(x: f32[8,64], y: f32[64,32]) { m = MatMul(x, y); v = ReduceProd(m, axes=[1]); return v }"),
            "ReduceProd: behind or beside MatMul is not generated");
}

TEST(SimtFamily, LeavesTargetsOfOtherKindsAlone) {
  const Target processor{"x86-64-v3", "x86-64", {}};
  EXPECT_EQ(cuda::CudaGenerator().supports(parsed(kSoftmax), processor).why_not, "target x86-64-v3 is not a CUDA target");
}

TEST(SimtContraction, RefusesDevicesWhoseBlocksAreTooSmallForIt) {
  const Graph graph = parsed("graph(x: f32[8,8], w: f32[8,8]) { y = MatMul(x, w); return y }");
  const Family family = simt_contraction();
  const auto device = [](std::int64_t threads) { return Target{"opencl", "opencl", {{"max_threads", threads}, {"f64", 1}}}; };
  for (const std::int64_t threads : {1, 3}) {
    EXPECT_EQ(family.supports(graph, device(threads)).why_not,
              "contractions need blocks of 4 threads, and the device's have " + std::to_string(threads) + " at most");
  }
  ASSERT_TRUE(family.supports(graph, device(4)).yes);
  EXPECT_TRUE(family.space(graph, device(4)).check(family.default_config(graph, device(4))).ok());
}

TEST(SimtFamily, HasAValidDefaultForEveryWorkloadItTakesOnEveryTarget) {
  const cuda::CudaGenerator generator;
  int taken = 0;
  for (const Workload& workload : builtin_workloads()) {
    for (const DType dtype : {DType::kF32, DType::kF16, DType::kBF16}) {
      const auto graph = instantiate(workload, {}, dtype);
      if (!graph.ok()) continue;
      for (const Target& each : cuda::cuda_targets()) {
        if (!generator.supports(graph.value(), each).yes) continue;
        const auto valid = generator.space(graph.value(), each).check(generator.default_config(graph.value(), each));
        EXPECT_TRUE(valid.ok()) << workload.id << " on " << each.id << ": " << valid.error().message;
        ++taken;
      }
    }
  }
  EXPECT_GT(taken, 500);
}

TEST(SimtFamily, HasAConfigurationForEveryShape) {
  const cuda::CudaGenerator generator;
  for (const int rows : {1, 3, 17, 4096}) {
    for (const int cols : {1, 3, 32, 1000, 50257, 262144}) {
      const std::string shape = std::to_string(rows) + "," + std::to_string(cols);
      for (const char* op : {"Softmax", "Exp"}) {
        const Graph graph = parsed("graph(x: f16[" + shape + "]) { y = " + op + "(x); return y }");
        const auto valid = generator.space(graph, target()).check(generator.default_config(graph, target()));
        EXPECT_TRUE(valid.ok()) << op << " [" << shape << "]: " << valid.error().message;
      }
    }
  }
}

TEST(SimtFamily, KeepsRowsOnlyWhereTheyFit) {
  const cuda::CudaGenerator generator;
  const auto keeps = [&](int cols) {
    const Graph graph = parsed("graph(x: f32[8," + std::to_string(cols) + "]) { y = Softmax(x); return y }");
    return generator.default_config(graph, target()).integer("keep", -1);
  };
  EXPECT_EQ(keeps(4096), 1);
  EXPECT_EQ(keeps(32768), 1);
  EXPECT_EQ(keeps(262144), 3);
}

struct RowBound {
  const char* type;
  const char* graph;  // C in place of the columns
  std::int64_t cols;
  std::int64_t keep;
  std::size_t reads;  // of x from memory
};

// sm_90's 227 KiB of shared memory hold 57,088 columns of f32 and 114,176 of bf16 beside the partial results; behind that a row is
// read twice: a softmax's largest and sum take one pass. Whole turns of a block are asked for here, so that a read stands in the
// text once for each pass.
TEST(SimtFamily, ReadsRowsOnceAsLongAsTheyFitTheChipAndTwiceBehindThat) {
  constexpr const char* kSoftmaxOf = "graph(x: T[256,C]) { y = Softmax(x); return y }";
  constexpr const char* kNormOf = "graph(x: T[256,C], w: T[C]) { y = RMSNormalization(x, w); return y }";
  const RowBound bounds[] = {
      {"f32", kNormOf, 1024, 1, 1},      {"f32", kNormOf, 53248, 2, 1},      {"f32", kNormOf, 65536, 0, 2},
      {"bf16", kNormOf, 65536, 4, 1},    {"bf16", kNormOf, 106496, 4, 1},    {"bf16", kNormOf, 262144, 0, 2},
      {"f32", kSoftmaxOf, 1024, 1, 1},   {"f32", kSoftmaxOf, 53248, 4, 1},   {"f32", kSoftmaxOf, 262144, 3, 2},
      {"bf16", kSoftmaxOf, 65536, 4, 1}, {"bf16", kSoftmaxOf, 106496, 4, 1}, {"bf16", kSoftmaxOf, 262144, 3, 2}};
  const cuda::CudaGenerator generator;
  for (const RowBound& bound : bounds) {
    std::string text = bound.graph;
    for (std::size_t at = text.find(" T["); at != std::string::npos; at = text.find(" T[")) text.replace(at + 1, 1, bound.type);
    for (std::size_t at = text.find('C'); at != std::string::npos; at = text.find('C'))
      text.replace(at, 1, std::to_string(bound.cols));
    const Graph graph = parsed(text);
    const LaunchConfig config = generator.default_config(graph, target());
    EXPECT_EQ(config.integer("keep", -1), bound.keep) << text << ": " << config.text();
    const SourceModule module = generator.generate(graph, config, target()).value();
    EXPECT_EQ(occurrences(kernel_of(module), "(x + "), bound.reads) << text << "\n" << kernel_of(module);
    EXPECT_LE(module.abi.shared_bytes.evaluate({}).value(), 227 << 10) << text;
  }
}

TEST(SimtFamily, KeepsAsManyColumnsAsSharedMemoryHas) {
  const cuda::CudaGenerator generator;
  const auto keeps = [&](const char* type, int cols, const Target& on) {
    const Graph graph = parsed("graph(x: " + std::string(type) + "[8," + std::to_string(cols) + "]) { y = Softmax(x); return y }");
    LaunchConfig config = generator.default_config(graph, on);
    config.set("keep", std::int64_t{4});
    return generator.space(graph, on).check(config).ok();
  };
  EXPECT_TRUE(keeps("f32", 57088, target()));
  EXPECT_FALSE(keeps("f32", 57092, target()));
  EXPECT_TRUE(keeps("bf16", 114176, target()));
  EXPECT_FALSE(keeps("bf16", 114184, target()));
  EXPECT_TRUE(keeps("bf16", 30720, target("sm_75")));
  EXPECT_FALSE(keeps("bf16", 30728, target("sm_75")));
}

TEST(SimtFamily, MovesVectorsOnlyWhereEveryRowIsAligned) {
  const auto widest = [](const std::string& text) {
    return std::get<std::int64_t>(cuda::CudaGenerator().space(parsed(text), target()).parameters().front().values.back());
  };
  EXPECT_EQ(widest("graph(x: f32[8,1024]) { y = Softmax(x); return y }"), 4);
  EXPECT_EQ(widest("graph(x: f16[8,1024]) { y = Softmax(x); return y }"), 8);
  // Rows that begin anywhere have a head and a tail of single elements; not where what is written has gaps, or is an element alone.
  EXPECT_EQ(widest("graph(x: f32[8,1022]) { y = Softmax(x); return y }"), 4);
  EXPECT_EQ(widest("graph(x: bf16[8,50257]) { y = Softmax(x); return y }"), 8);
  EXPECT_EQ(widest("graph(x: f32[8,3]) { y = Softmax(x); return y }"), 1);
  EXPECT_EQ(widest("graph(x: f32[8,1023], b: f32[1023]) { y = Add(x, b); return y }"), 1);
  // A flat walk leaves a tail instead.
  EXPECT_EQ(widest("graph(x: f32[8,1023]) { y = Exp(x); return y }"), 4);
}

TEST(SimtFamily, PeelsRowsThatBeginAnywhere) {
  const std::string norm = "graph(x: bf16[64,50257], w: bf16[50257]) { y = RMSNormalization(x, w); return y }";
  const cuda::CudaGenerator generator;
  const LaunchConfig config = generator.default_config(parsed(norm), target());
  EXPECT_EQ(config.integer("vector", 0), 1) << "a row that fits the chip is read once";
  const std::string kernel =
      kernel_of(generated(norm, "block=512,keep=0,persistent=0,rows_per_block=1,streaming=0,unroll=2,vector=8"));
  EXPECT_NE(kernel.find("const int head = (8 - row * 50257 % 8) % 8;"), std::string::npos) << kernel;
  EXPECT_NE(kernel.find("fl_read<float, 8>(x + row * 50257 + col)"), std::string::npos) << kernel;
  EXPECT_NE(kernel.find("fl_read_each<float, 8>(w + col)"), std::string::npos) << kernel;
}

TEST(SimtFamily, ReadsAnInputOnceWhereTheRowIsKept) {
  const std::string rest = ",persistent=0,rows_per_block=1,streaming=0,unroll=1,vector=4";
  EXPECT_EQ(occurrences(kernel_of(generated(kSoftmax, "block=256,keep=1" + rest)), "fl_read<float, 4>(x"), 1U);
  EXPECT_EQ(occurrences(kernel_of(generated(kSoftmax, "block=256,keep=0" + rest)), "fl_read<float, 4>(x"), 3U);
}

TEST(SimtFamily, MeetsAtABarrierOnlyWhereARowHasSeveralWarps) {
  const std::string rest = ",keep=0,persistent=2,streaming=0,unroll=1,vector=4";
  EXPECT_EQ(occurrences(kernel_of(generated(kSoftmax, "block=128,rows_per_block=4" + rest)), "fl_barrier();"), 0U);
  // One for each reduction, and one before the next rows take their place.
  EXPECT_EQ(occurrences(kernel_of(generated(kSoftmax, "block=128,rows_per_block=1" + rest)), "fl_barrier();"), 3U);
}

TEST(SimtFamily, LaunchesABlockForEachTileOrSomeForEachMultiprocessor) {
  const char* const graph = "graph(x: f32[1024,1024]) { y = Exp(x); return y }";
  EXPECT_EQ(generated(graph, "block=256,items=2,persistent=0,streaming=0,vector=4").abi.grid_x.text, "512");
  const KernelAbi abi = generated(graph, "block=256,items=2,persistent=2,streaming=0,vector=4").abi;
  EXPECT_EQ(abi.grid_x.text, "min(512, 2 * multiprocessors)");
  EXPECT_EQ(abi.grid_x.evaluate({{"multiprocessors", 132}}).value(), 264);
  EXPECT_EQ(abi.block_x.text, "256");
  Target known = target();
  known.limits["multiprocessors"] = 132;
  EXPECT_EQ(generated(graph, "block=256,items=2,persistent=2,streaming=0,vector=4", known).abi.grid_x.text, "264");
}

TEST(SimtFamily, SharesALongReductionOutAmongBlocks) {
  const cuda::CudaGenerator generator;
  const Graph graph = parsed("graph(x: f32[4096,4096]) { y = ReduceSum(x, keepdims=0); return y }");
  const LaunchConfig config = generator.default_config(graph, target());
  EXPECT_EQ(config.integer("blocks", 0), 512);
  const SourceModule module = generator.generate(graph, config, target()).value();
  EXPECT_EQ(module.abi.grid_x.text, "512");
  ASSERT_EQ(module.abi.arguments.size(), 3U);
  EXPECT_EQ(module.abi.arguments[2].role, BufferRole::kScratch);
  EXPECT_EQ(size_of(module.abi.arguments[2].type).value().count, 512 * 4);
  EXPECT_EQ(occurrences(module.text, "extern \"C\" FL_KERNEL(256) void fuselab_kernel_fold("), 1U);
  // Rows that are many already need no more blocks; a softmax is no number.
  for (const char* const other : {"graph(x: f32[4096,4096]) { y = ReduceSum(x, axes=[-1]); return y }",
                                  "graph(x: f32[16777216]) { y = Softmax(x); return y }"}) {
    EXPECT_EQ(generator.default_config(parsed(other), target()).integer("blocks", 0), 0) << other;
  }
}

TEST(SimtFamily, NamesOfTheGraphDoNotMeetThoseOfTheKernel) {
  const std::string kernel =
      kernel_of(generated("graph(thread: f32[8,64], class: f32[64], fl_exp: f32[64]) { a = Add(thread, class); b = Add(a, fl_exp); "
                          "y = Exp(b); return y }",
                          "block=64,items=1,persistent=0,streaming=0,vector=4"));
  EXPECT_EQ(kernel.find("FL_RESTRICT thread,"), std::string::npos);
  EXPECT_EQ(kernel.find("FL_RESTRICT class,"), std::string::npos);
  EXPECT_EQ(kernel.find("FL_RESTRICT fl_exp,"), std::string::npos);
}

TEST(SimtFamily, StaysBelowTheSharedMemoryThatABlockMayHave) {
  const cuda::CudaGenerator generator;
  const Graph graph = parsed("graph(x: f32[64,2048], w: f32[2048]) { y = RMSNormalization(x, w); return y }");
  int shared = 0;
  for (const LaunchConfig& config : generator.space(graph, target()).enumerate(1 << 20)) {
    if (config.integer("keep", 0) != 2) continue;
    const std::int64_t bytes = generator.generate(graph, config, target()).value().abi.shared_bytes.evaluate({}).value();
    EXPECT_LE(bytes, 227 << 10) << config.text();
    EXPECT_GE(bytes, 2048 * 4) << config.text();
    const std::string kernel = kernel_of(generator.generate(graph, config, target()).value());
    // What a block may not declare it asks for.
    EXPECT_EQ(kernel.find("FL_DYNAMIC_SHARED(") != std::string::npos, bytes > 48 << 10) << config.text();
    if (++shared == 50) break;
  }
  EXPECT_EQ(shared, 50);
}

}  // namespace
}  // namespace fuselab::codegen
