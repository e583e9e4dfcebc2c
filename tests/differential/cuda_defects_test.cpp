// SPDX-License-Identifier: Apache-2.0
// Ways in which a generator of CUDA kernels goes wrong, put into generated text one at a time: each must be caught in every order
// of the threads that is tried, the text as generated must pass.
#include <gmock/gmock.h>

#include "backends/cuda/cuda_generator.h"
#include "tests/differential/cuda_trial.h"
#include "tests/support/seeded_defect.h"

namespace fuselab::testing {
namespace {

constexpr const char* kSoftmax = "graph(x: f32[17,65]) { y = Softmax(x); return y }";
constexpr const char* kFullMaximum = "graph(x: f32[1001]) { y = ReduceMax(x, keepdims=0); return y }";
constexpr const char* kReadAgain = "block=64,keep=0,persistent=0,rows_per_block=1,streaming=0,unroll=1,vector=1";
constexpr const char* kInShared = "block=64,keep=2,persistent=0,rows_per_block=1,streaming=0,unroll=1,vector=1";
constexpr const char* kRunning = "block=64,keep=3,persistent=0,rows_per_block=1,streaming=0,unroll=1,vector=1";
constexpr const char* kLongSum = "graph(x: f32[9004]) { y = ReduceSum(x, keepdims=0); return y }";
constexpr const char* kOddNorm = "graph(x: f32[9,257], w: f32[257]) { y = RMSNormalization(x, w); return y }";
constexpr const char* kPeeled = "block=64,keep=0,persistent=0,rows_per_block=2,streaming=0,unroll=1,vector=4";
constexpr const char* kShared = "block=64,blocks=16,keep=0,persistent=0,rows_per_block=1,streaming=0,unroll=1,vector=4";
constexpr const char* kWideSoftmax = "graph(x: f32[3,520]) { y = Softmax(x); return y }";
constexpr const char* kMaskedSoftmax =
    "graph(m: bool[3,520], x: f32[3,520]) { f = Cast(m, to=\"f32\"); l = Log(f); s = Add(x, l); y = Softmax(s); return y }";
constexpr const char* kHalfSoftmax = "graph(x: bf16[17,64]) { y = Softmax(x); return y }";
constexpr const char* kInSharedAsRead = "block=64,keep=4,persistent=0,rows_per_block=2,streaming=0,unroll=1,vector=2";
constexpr const char* kResidualNorm =
    "graph(x: f32[17,64], e: f32[17,64], w: param f32[64]) { s = Add(x, e); y = RMSNormalization(s, w); return s, y }";
constexpr const char* kPersistentRows = "block=64,keep=2,persistent=1,rows_per_block=1,streaming=1,unroll=1,vector=1";
constexpr const char* kLayerNorm = "graph(x: f32[17,64], w: f32[64], b: f32[64]) { y = LayerNormalization(x, w, b); return y }";
constexpr const char* kSharedWarps = "block=64,keep=0,persistent=0,rows_per_block=8,streaming=0,unroll=1,vector=2";
constexpr const char* kBiasGelu = "graph(x: f32[17,64], b: param f32[64]) { s = Add(x, b); y = Gelu(s); return y }";
constexpr const char* kVectors = "block=64,items=2,persistent=0,streaming=0,vector=4";
constexpr const char* kExp = "graph(x: f32[1003]) { y = Exp(x); return y }";
constexpr const char* kPersistentVectors = "block=64,items=1,persistent=1,streaming=0,vector=4";

constexpr InputPattern kUniform = InputPattern::kUniform;

constexpr test::SeededDefect kDefects[] = {
    {"BarrierRemoved", kSoftmax, kReadAgain, "  fl_barrier();\n", "", kUniform, "row_max_parts["},
    {"BarrierBetweenTilesRemoved", kResidualNorm, kPersistentRows, "of these.\n    fl_barrier();", "of these.", kUniform,
     "with no barrier between them"},
    {"BarrierForOneWarp", kSoftmax, kReadAgain, "  fl_barrier();", "  if (fl_warp() == 0) fl_barrier();", kUniform,
     "row_max_parts["},
    {"OffByOneBound", kFullMaximum, kReadAgain, "col < 1001", "col <= 1001", kUniform, "past the end of buffer x"},
    {"LastColumnDropped", kSoftmax, kReadAgain, "col < 65", "col < 64", kUniform, "output 0 at"},
    {"WrongShuffleWidth", kSoftmax, kReadAgain, "fl_shuffle_xor(row_sum, 16, 32)", "fl_shuffle_xor(row_sum, 16, 16)", kUniform,
     "output 0 at"},
    {"LanesOfOneRowOnly", kLayerNorm, kSharedWarps, "fl_shuffle_xor(mean_sum, 4, 8)", "fl_shuffle_xor(mean_sum, 8, 16)", kUniform,
     "output 0 at"},
    {"ShuffleInABranch", kSoftmax, kReadAgain, "row_sum = row_sum + fl_shuffle_xor(row_sum, 16, 32);",
     "if (fl_lane() < 16) row_sum = row_sum + fl_shuffle_xor(row_sum, 16, 32);", kUniform, "part ways"},
    {"PartialOfOneWarpTwice", kSoftmax, kReadAgain, "row_sum_parts[fl_lane() % 2]", "row_sum_parts[0]", kUniform, "output 0 at"},
    {"PartialsOutOfBounds", kSoftmax, kReadAgain, "row_sum_parts[fl_warp()]", "row_sum_parts[fl_warp() + 1]", kUniform,
     "past the end of shared array row_sum_parts"},
    {"EveryLaneWritesThePartial", kSoftmax, kReadAgain, "fl_lane() == 0", "fl_lane() >= 0", kUniform,
     "with no barrier between them"},
    {"StaleSharedMemory", kSoftmax, kInShared, "    fl_write(stage_2 + col, power);\n", "", kUniform,
     "which no thread of this block has written"},
    {"RunningSumNotScaled", kWideSoftmax, kRunning, "row_sum_acc = row_sum_acc * fl_exp(row_max_acc - row_max_base) +",
     "row_sum_acc = row_sum_acc +", kUniform, "output 0 at"},
    {"ThreadsSumNotBroughtUponTheRows", kSoftmax, kRunning, "row_sum_acc * fl_exp(row_max_acc - row_sum_base)", "row_sum_acc",
     InputPattern::kLarge, "output 0 at"},
    {"InfinityLessInfinity", kMaskedSoftmax, kRunning, "fl_max(row_max_next, -3.4028235e+38f)", "row_max_next", kUniform,
     "output 0 at"},
    {"HeadForgotten", kOddNorm, kPeeled, "(4 - row * 257 % 4) % 4", "0", kUniform, "misaligned"},
    {"TailForgotten", kOddNorm, kPeeled, "head + (257 - head) % 4", "head", kUniform, "output 0 at"},
    {"EdgeNotAddedUp", kOddNorm, kPeeled, " + mean_square_sum_edge;", ";", kUniform, "output 0 at"},
    {"RegisterBeyondTheRow", kOddNorm, kPeeled, "col <= 253", "col <= 256", kUniform, " of block "},
    {"PartsOfOneBlockTwice", kLongSum, kShared, "partials + part", "partials + part / 2", kUniform, "output 0 at"},
    {"PartsOfTwoBlocksInOnePlace", kLongSum, kShared, "partials + fl_block()", "partials + fl_block() / 2", kUniform,
     "blocks run in any order"},
    {"BlocksWithoutTheLastPart", kLongSum, kShared, "fl_block() == 15", "fl_block() == 16", kUniform, "output 0 at"},
    {"RowOfTheNeighbour", kHalfSoftmax, kInSharedAsRead, "block_row * 64 + col", "col", kUniform, "with no barrier between them"},
    {"NoMaximumSubtracted", kSoftmax, kReadAgain, "x_value - row_max", "x_value", InputPattern::kLarge, "output 0 at"},
    {"WrongEpsilon", kResidualNorm, kPersistentRows, "+ 1e-05f", "+ 1e-02f", kUniform, "output 1 at"},
    {"MissingMask", kBiasGelu, kVectors, "vec < 272", "vec < 384", kUniform, "out of bounds"},
    {"MissingMaskOfRows", kLayerNorm, kSharedWarps, "if (wanted_row < 17) {", "{", kUniform, "with no barrier between them"},
    {"MissingClampOfRows", kLayerNorm, kSharedWarps, "row = 16;", "row = wanted_row;", kUniform, "out of bounds"},
    {"Misaligned", kBiasGelu, kVectors, "(x + row * 64 + col)", "(x + row * 64 + col + 1)", kUniform, "misaligned"},
    {"WrongBroadcast", kBiasGelu, kVectors, "(b + col)", "(b + col % 32)", kUniform, "output 0 at"},
    {"TailDropped", kExp, kPersistentVectors, "fl_thread() < 3", "fl_thread() < 2", kUniform, "output 0 at"},
    {"TailTooLong", kExp, kPersistentVectors, "fl_thread() < 3", "fl_thread() < 4", kUniform, "past the end of buffer x"},
    {"TailOfEveryBlock", kExp, kPersistentVectors, "fl_block() == 0 && ", "", kUniform, "blocks run in any order"},
    {"TileSkipped", kExp, kPersistentVectors, "tile += fl_grid_size()", "tile += fl_grid_size() + 1", kUniform, "output 0 at"},
    {"EndlessLoop", kExp, kPersistentVectors, "tile += fl_grid_size()", "tile += 0", kUniform, "has not ended after"},
    {"InputOverwritten", kBiasGelu, kVectors, "fl_write(out_y + row * 64 + col, y)",
     "fl_write(const_cast<float*>(x) + row * 64 + col, y)", kUniform, "writes the input x"},
};

class SeededCudaDefects : public ::testing::TestWithParam<test::SeededDefect> {};

TEST_P(SeededCudaDefects, AreCaught) {
  const test::SeededDefect& defect = GetParam();
  const auto seeded = test::seed(defect, cuda::CudaGenerator(), cuda_target());
  ASSERT_TRUE(seeded.ok()) << seeded.error().message;
  const KernelAbi& abi = seeded.value().sound.abi;
  std::vector<simt::KernelText> texts = simt::texts_of(seeded.value().sound);
  const std::size_t broken = texts.size();
  for (simt::KernelText& text : simt::texts_of(seeded.value().broken)) texts.push_back(std::move(text));
  const auto object = simt::KernelObject::compile(texts);
  ASSERT_TRUE(object.ok()) << object.error().message;
  for (const std::uint64_t order : {1, 2, 3}) {
    const InputSpec spec{defect.pattern, 3};
    EXPECT_EQ(try_on_simt(seeded.value().graph, abi, *object.value(), 0, spec, order), "");
    EXPECT_THAT(try_on_simt(seeded.value().graph, abi, *object.value(), broken, spec, order), ::testing::HasSubstr(defect.found));
  }
}

INSTANTIATE_TEST_SUITE_P(Generator, SeededCudaDefects, ::testing::ValuesIn(kDefects),
                         [](const auto& each) { return std::string(each.param.name); });

}  // namespace
}  // namespace fuselab::testing
