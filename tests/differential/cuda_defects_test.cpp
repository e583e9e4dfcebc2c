// SPDX-License-Identifier: Apache-2.0
// Ways in which a generator of CUDA kernels goes wrong, put into generated text one at a time: each must be caught in every order
// of the threads that is tried, the text as generated must pass.
#include <gmock/gmock.h>

#include "backends/cuda/cuda_generator.h"
#include "core/graph/graph_text.h"
#include "tests/differential/cuda_trial.h"

namespace fuselab::testing {
namespace {

struct Defect {
  const char* name;
  const char* graph;
  const char* config;
  const char* from;  // every occurrence is replaced
  const char* to;
  const char* found;  // in what the executor or the comparison says
  InputPattern pattern = InputPattern::kUniform;
};

constexpr const char* kSoftmax = "graph(x: f32[17,65]) { y = Softmax(x); return y }";
constexpr const char* kFullMaximum = "graph(x: f32[1001]) { y = ReduceMax(x, keepdims=0); return y }";
constexpr const char* kReadAgain = "block=64,keep=0,persistent=0,rows_per_block=1,streaming=0,unroll=1,vector=1";
constexpr const char* kInShared = "block=64,keep=2,persistent=0,rows_per_block=1,streaming=0,unroll=1,vector=1";
constexpr const char* kResidualNorm =
    "graph(x: f32[17,64], e: f32[17,64], w: param f32[64]) { s = Add(x, e); y = RMSNormalization(s, w); return s, y }";
constexpr const char* kPersistentRows = "block=64,keep=2,persistent=1,rows_per_block=1,streaming=1,unroll=1,vector=1";
constexpr const char* kLayerNorm = "graph(x: f32[17,64], w: f32[64], b: f32[64]) { y = LayerNormalization(x, w, b); return y }";
constexpr const char* kSharedWarps = "block=64,keep=0,persistent=0,rows_per_block=8,streaming=0,unroll=1,vector=2";
constexpr const char* kBiasGelu = "graph(x: f32[17,64], b: param f32[64]) { s = Add(x, b); y = Gelu(s); return y }";
constexpr const char* kVectors = "block=64,items=2,persistent=0,streaming=0,vector=4";
constexpr const char* kExp = "graph(x: f32[1003]) { y = Exp(x); return y }";
constexpr const char* kPersistentVectors = "block=64,items=1,persistent=1,streaming=0,vector=4";

constexpr Defect kDefects[] = {
    {"BarrierRemoved", kSoftmax, kReadAgain, "  fl_barrier();\n", "", "row_max_parts["},
    {"BarrierBetweenTilesRemoved", kResidualNorm, kPersistentRows, "of these.\n    fl_barrier();", "of these.",
     "with no barrier between them"},
    {"BarrierForOneWarp", kSoftmax, kReadAgain, "  fl_barrier();", "  if (fl_warp() == 0) fl_barrier();", "row_max_parts["},
    {"OffByOneBound", kFullMaximum, kReadAgain, "col < 1001", "col <= 1001", "past the end of buffer x"},
    {"LastColumnDropped", kSoftmax, kReadAgain, "col < 65", "col < 64", "output 0 at"},
    {"WrongShuffleWidth", kSoftmax, kReadAgain, "fl_shuffle_xor(row_sum, 16, 32)", "fl_shuffle_xor(row_sum, 16, 16)",
     "output 0 at"},
    {"LanesOfOneRowOnly", kLayerNorm, kSharedWarps, "fl_shuffle_xor(mean_sum, 4, 8)", "fl_shuffle_xor(mean_sum, 8, 16)",
     "output 0 at"},
    {"ShuffleInABranch", kSoftmax, kReadAgain, "row_sum = row_sum + fl_shuffle_xor(row_sum, 16, 32);",
     "if (fl_lane() < 16) row_sum = row_sum + fl_shuffle_xor(row_sum, 16, 32);", "part ways"},
    {"PartialOfOneWarpTwice", kSoftmax, kReadAgain, "row_sum_parts[fl_lane() % 2]", "row_sum_parts[0]", "output 0 at"},
    {"PartialsOutOfBounds", kSoftmax, kReadAgain, "row_sum_parts[fl_warp()]", "row_sum_parts[fl_warp() + 1]",
     "past the end of shared array row_sum_parts"},
    {"EveryLaneWritesThePartial", kSoftmax, kReadAgain, "fl_lane() == 0", "fl_lane() >= 0", "with no barrier between them"},
    {"StaleSharedMemory", kSoftmax, kInShared, "    fl_write(stage_2 + col, power);\n", "",
     "which no thread of this block has written"},
    {"NoMaximumSubtracted", kSoftmax, kReadAgain, "x_value - row_max", "x_value", "output 0 at", InputPattern::kLarge},
    {"WrongEpsilon", kResidualNorm, kPersistentRows, "+ 1e-05f", "+ 1e-02f", "output 1 at"},
    {"MissingMask", kBiasGelu, kVectors, "vec < 272", "vec < 384", "out of bounds"},
    {"MissingMaskOfRows", kLayerNorm, kSharedWarps, "if (wanted_row < 17) {", "{", "with no barrier between them"},
    {"MissingClampOfRows", kLayerNorm, kSharedWarps, "row = 16;", "row = wanted_row;", "out of bounds"},
    {"Misaligned", kBiasGelu, kVectors, "(x + row * 64 + col)", "(x + row * 64 + col + 1)", "misaligned"},
    {"WrongBroadcast", kBiasGelu, kVectors, "(b + col)", "(b + col % 32)", "output 0 at"},
    {"TailDropped", kExp, kPersistentVectors, "fl_thread() < 3", "fl_thread() < 2", "output 0 at"},
    {"TailTooLong", kExp, kPersistentVectors, "fl_thread() < 3", "fl_thread() < 4", "past the end of buffer x"},
    {"TailOfEveryBlock", kExp, kPersistentVectors, "fl_block() == 0 && ", "", "blocks run in any order"},
    {"TileSkipped", kExp, kPersistentVectors, "tile += fl_grid_size()", "tile += fl_grid_size() + 1", "output 0 at"},
    {"EndlessLoop", kExp, kPersistentVectors, "tile += fl_grid_size()", "tile += 0", "has not ended after"},
    {"InputOverwritten", kBiasGelu, kVectors, "fl_write(out_y + row * 64 + col, y)",
     "fl_write(const_cast<float*>(x) + row * 64 + col, y)", "writes the input x"},
};

std::size_t replace_all(std::string& text, const std::string& from, const std::string& to) {
  std::size_t count = 0;
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()), ++count) {
    text.replace(at, from.size(), to);
  }
  return count;
}

class SeededCudaDefects : public ::testing::TestWithParam<Defect> {};

TEST_P(SeededCudaDefects, AreCaught) {
  const Defect& defect = GetParam();
  cuda::CudaGenerator generator;
  const auto graph = parse_graph(defect.graph);
  ASSERT_TRUE(graph.ok()) << graph.error().message;
  const auto config = LaunchConfig::parse(defect.config);
  ASSERT_TRUE(config.ok()) << config.error().message;
  const Status allowed = generator.space(graph.value(), cuda_target()).check(config.value());
  ASSERT_TRUE(allowed.ok()) << allowed.error().message;
  const auto source = generator.generate(graph.value(), config.value(), cuda_target());
  ASSERT_TRUE(source.ok()) << source.error().message;

  const simt::KernelText sound = simt_text(source.value());
  simt::KernelText broken = sound;
  ASSERT_GT(replace_all(broken.body, defect.from, defect.to), 0U) << "the generated text no longer has: " << defect.from;
  const simt::KernelText texts[] = {sound, broken};
  const auto object = simt::KernelObject::compile(texts);
  ASSERT_TRUE(object.ok()) << object.error().message;
  for (const std::uint64_t order : {1, 2, 3}) {
    const InputSpec spec{defect.pattern, 3};
    EXPECT_EQ(try_on_simt(graph.value(), source.value().abi, *object.value(), 0, spec, order), "");
    EXPECT_THAT(try_on_simt(graph.value(), source.value().abi, *object.value(), 1, spec, order),
                ::testing::HasSubstr(defect.found));
  }
}

INSTANTIATE_TEST_SUITE_P(Generator, SeededCudaDefects, ::testing::ValuesIn(kDefects),
                         [](const auto& each) { return std::string(each.param.name); });

}  // namespace
}  // namespace fuselab::testing
