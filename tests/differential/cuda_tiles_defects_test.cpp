// SPDX-License-Identifier: Apache-2.0
// Ways in which a kernel of tiles goes wrong, put into its text one at a time: each must be caught in every order of the threads
// that is tried, and the text as generated must pass.
#include <gmock/gmock.h>

#include "backends/cuda/cuda_generator.h"
#include "tests/differential/cuda_trial.h"
#include "tests/support/seeded_defect.h"

namespace fuselab::testing {
namespace {

constexpr const char* kTails =
    "graph(x: bf16[70,104], w: param bf16[104,88], b: param bf16[88]) { m = MatMul(x, w); s = Add(m, b); y = Relu(s); return y }";
constexpr const char* kAlongDepth = "graph(x: f16[40,136], w: param f16[56,136]) { y = Gemm(x, w, transB=1); return y }";
constexpr const char* kReals = "graph(x: f32[40,300], w: param f32[300,64]) { y = MatMul(x, w); return y }";
constexpr const char* kInfinite = "graph(x: f32[24,40], w: param f32[40,64]) { y = MatMul(x, w); return y }";
constexpr const char* kBytesTurned =
    "graph(x: i8[33,80], w: u8[80,112]) { a = Cast(x, to=\"i32\"); b = Cast(w, to=\"i32\"); y = MatMul(a, b); return y }";
constexpr const char* kOfTurnedBytes = "band=1,depth=64,min_blocks=1,splits=1,stages=2,warp_m=32,warp_n=64,warps_m=1,warps_n=1";
constexpr const char* kNormed =
    "graph(x: bf16[40,104], n: param bf16[104], w: param bf16[104,88]) { h = RMSNormalization(x, n); y = MatMul(h, w); return y }";
constexpr const char* kGated =
    "graph(x: bf16[40,104], w: param bf16[104,88], u: param bf16[104,88]) { g = MatMul(x, w); s = Sigmoid(g); t = Mul(g, s); "
    "p = MatMul(x, u); y = Mul(t, p); return y }";
constexpr const char* kGatedInfinite =
    "graph(x: f32[24,40], w: param f32[40,64], u: param f32[40,64]) { g = MatMul(x, w); p = MatMul(x, u); y = Add(g, p); return y "
    "}";
constexpr const char* kImage = "graph(x: bf16[1,8,9,9], w: param bf16[16,8,3,3]) { y = Conv(x, w, pads=[1,1,1,1]); return y }";
constexpr const char* kBytes =
    "graph(x: u8[33,50], w: u8[50,40], z: u8[1], q: u8[1]) { a = Cast(x, to=\"i32\"); zi = Cast(z, to=\"i32\"); c = Sub(a, zi); "
    "b = Cast(w, to=\"i32\"); qi = Cast(q, to=\"i32\"); d = Sub(b, qi); y = MatMul(c, d); return y }";
constexpr const char* kHalves = "band=1,depth=32,min_blocks=1,splits=1,stages=3,warp_m=32,warp_n=32,warps_m=2,warps_n=1";
constexpr const char* kSinglesJoined = "band=1,depth=16,min_blocks=1,splits=1,stages=3,warp_m=32,warp_n=32,warps_m=1,warps_n=1";
constexpr const char* kPlainSingles =
    "band=1,depth=16,min_blocks=1,plain=1,splits=1,stages=3,warp_m=32,warp_n=32,warps_m=1,warps_n=1";
constexpr const char* kSingles = "band=1,depth=16,min_blocks=1,plain=0,splits=1,stages=3,warp_m=32,warp_n=32,warps_m=1,warps_n=1";
constexpr const char* kOfAnImage =
    "band=1,depth=32,layout=0,min_blocks=1,splits=1,stages=3,warp_m=16,warp_n=32,warps_m=1,warps_n=1";
constexpr const char* kOfBytes = "band=1,depth=64,min_blocks=1,splits=1,stages=2,warp_m=32,warp_n=32,warps_m=1,warps_n=1";

constexpr InputPattern kUniform = InputPattern::kUniform;

constexpr test::SeededDefect kDefects[] = {
    {"BarrierRemoved", kTails, kHalves, "fl_barrier();  // the stage is filled", "// the stage is filled", kUniform, ""},
    {"WaitOneStageShort", kTails, kHalves, "fl_copy_async_wait<kStages - 2>()", "fl_copy_async_wait<kStages - 1>()", kUniform, ""},
    {"StageFreedEarly", kTails, kHalves, "if (step + kStages - 1 < end) fetch(step + kStages - 1);",
     "if (step + kStages < end) fetch(step + kStages);", kUniform, ""},
    {"StageStepsApart", kTails, kHalves, "right_tiles + step % kStages * kRightStage;\n#pragma",
     "right_tiles + (step + 1) % kStages * kRightStage;\n#pragma", kUniform, ""},
    {"WrongFragment", kTails, kHalves, "right.bits[first], right.bits[first + 1]", "right.bits[first + 1], right.bits[first]",
     kUniform, "output 0 at"},
    {"RowsOfAFragmentTwice", kAlongDepth, kHalves, "line + fl_lane() % 16", "line + fl_lane() % 8", kUniform, "output 0 at"},
    {"TilesOverlap", kTails, kHalves, "within / rows * kColumns;", "within / rows * (kColumns - 8);", kUniform, ""},
    {"ResultsNotMasked", kTails, kHalves, "if (row >= kM || column >= kN) return;", "", kUniform, "out of bounds"},
    {"DepthNotMasked", kAlongDepth, kHalves, "outer < outers ? inners - inner : 0", "outer < outers ? kPart : 0", kUniform, ""},
    {"LinesNotMasked", kTails, kHalves, "outer < outers ? inners - inner : 0", "inners - inner", kUniform, "out of bounds"},
    {"StaleSharedMemory", kTails, kHalves, "i < (kAll + kThreads - 1) / kThreads", "i < kAll / kThreads - 1", kUniform,
     "which no thread of this block has written"},
    {"LowPartsForgotten", kReals, kSingles, "fl_multiply_tf32(sums.v, left.low, right.high[first], right.high[first + 1]);", "",
     kUniform, "output 0 at"},
    {"FoldsForgotten", kReals, kSingles, "folded[e] += v[e];", "folded[e] = v[e];", kUniform, "output 0 at"},
    {"FoldedBeforeTheEnd", kReals, kSingles, " || step + 1 == end", "", kUniform, "output 0 at"},
    {"EdgeNotMasked", kImage, kOfAnImage, "from_y_ > -1 && ", "", kUniform, ""},
    {"WindowShifted", kImage, kOfAnImage, "% 9 - 1", "% 9", kUniform, "output 0 at"},
    {"InfinityLeftAsNan", kInfinite, kSingles, "if (!finite) {", "if (false) {", InputPattern::kSpecial, "output 0 at"},
    {"ZeroPointForgotten", kBytes, kOfBytes, "- left_flipped * columns[j].v[e]", "", kUniform, "output 0 at"},
    {"TailOfZeroPoints", kBytes, kOfBytes, "(kHeld - kK) * left * right", "0", InputPattern::kUniform, ""},
    {"TwinsSwapped", kGated, kHalves, "sums[i][at].total", "sums[i][at ^ 1].total", kUniform, "output 0 at"},
    {"TwinForgotten", kGated, kHalves, "fl_is_other(place) ? from.other : from.one", "from.one", kUniform, "output 0 at"},
    {"TwinsNotInTurns", kGated, kHalves, "return place / 16 * 8 + place % 8;", "return place;", kUniform, ""},
    {"TwinTilesApart", kGated, kHalves, "constexpr int kColumns = kTileN / kTwins;", "constexpr int kColumns = kTileN;", kUniform,
     ""},
    {"TwinOfInfinity", kGatedInfinite, kSinglesJoined,
     "fl_plain_sum_of(in, batch, row, column, begin * kTileK, end * kTileK < kK ? end * kTileK : kK, twin)",
     "fl_plain_sum_of(in, batch, row, column, begin * kTileK, end * kTileK < kK ? end * kTileK : kK, 0)", InputPattern::kSpecial,
     "output 0 at"},
    {"ColumnsOfBytesNotInTurns", kBytesTurned, kOfTurnedBytes, "kRightTurned && fl_unit::kTurnsColumns;", "false;", kUniform,
     "output 0 at"},
    {"StepsOfBytesShifted", kBytesTurned, kOfTurnedBytes, "lane % 8 / 2 * 4 + lane % 2 + lane / 8 % 2 * 2",
     "lane % 8 + lane / 8 % 2 * 8", kUniform, "output 0 at"},
    {"OddColumnsForgotten", kBytesTurned, kOfTurnedBytes, "0x7531", "0x6420", kUniform, "output 0 at"},
    {"RowsOfOneHalf", kReals, kPlainSingles, "line + half * 8 + fl_lane() / 4", "line + fl_lane() / 4", kUniform, "output 0 at"},
    {"PartTwice", kReals, kPlainSingles, "fl_part_at<kPartsOfRow>(line, part + p)", "fl_part_at<kPartsOfRow>(line, part)", kUniform,
     "output 0 at"},
    {"PlainColumnsNotInTurns", kReals, kPlainSingles, "v[c % 2 * 2 + c / 2][k] = read.v[c]", "v[c][k] = read.v[c]", kUniform,
     "output 0 at"},
    {"RowsForColumns", kReals, kPlainSingles, "left.v[e / 2][k], right.v[first + e % 2][k]",
     "left.v[e % 2][k], right.v[first + e / 2][k]", kUniform, "output 0 at"},
    {"FirstProductTwice", kReals, kPlainSingles, "right.v[first + e % 2][k]", "right.v[e % 2][k]", kUniform, "output 0 at"},
    {"SquaresOfOtherRows", kNormed, kHalves, "squares[i][e % 2] = fl_fma", "squares[i][e / 2] = fl_fma", kUniform, "output 0 at"},
    {"SquaresOfSomeLanes", kNormed, kHalves, "mask <= 2; mask *= 2) sum += fl_shuffle_xor(sum, mask, 32);\n        squares",
     "mask <= 1; mask *= 2) sum += fl_shuffle_xor(sum, mask, 32);\n        squares", kUniform, "output 0 at"},
    {"SquaresOfWeighted", kNormed, kHalves, "fl_fma(low, low, fl_fma(high, high,", "fl_fma(low, low, fl_fma(low, high,", kUniform,
     "output 0 at"},
    {"WeightsOfANormNotMoved", kNormed, kHalves, "fl_lane() % 4 * 2;\n    unsigned weigh", "fl_lane() % 2 * 2;\n    unsigned weigh",
     kUniform, "output 0 at"},
    {"WeightsOfAnotherStage", kNormed, kHalves, "factors.take(left, step % kStages, part)",
     "factors.take(left, (step + 1) % kStages, part)", kUniform, ""},
    {"TailOfANorm", kNormed, kHalves, "sum / static_cast<float>(kK)", "sum / static_cast<float>((kK + 31) / 32 * 32)", kUniform,
     "output 0 at"},
    {"UnsignedReadAsSigned", kBytes, kOfBytes, "bits[e] ^ 0x80808080u", "bits[e]", kUniform, "output 0 at"},
};

constexpr const char* kLaidOut =
    "graph(x: bf16[1,36,9,9], w: param bf16[16,36,3,3]) { y = Conv(x, w, strides=[2,1], pads=[1,1,1,1]); return y }";
constexpr const char* kOfLaidOut =
    "band=1,depth=32,layout=1,min_blocks=1,splits=2,stages=3,warp_m=16,warp_n=32,warps_m=1,warps_n=1";

constexpr test::SeededDefect kChannelsLastDefects[] = {
    {"BarrierRemoved", kLaidOut, kOfLaidOut, "  fl_barrier();\n  // Neighbours write parts", "  // Neighbours write parts",
     kUniform, ""},
    {"ZerosForgotten", kLaidOut, kOfLaidOut, "row < kChannels && column < Columns", "column < Columns", kUniform, ""},
    {"ColumnsNotMasked", kLaidOut, kOfLaidOut, " || column0 + column >= Columns", "", kUniform, ""},
    {"ColumnsSwapped", kLaidOut, kOfLaidOut, "* kTurnPitch + column]", "* kTurnPitch + (column ^ 1)]", kUniform, ""},
    {"WeightsTurnedTooFew", kLaidOut, kOfLaidOut, "block - kTurnsOfImages,", "block - kTurnsOfImages + 1,", kUniform, ""},
    {"EdgeNotMasked", kLaidOut, kOfLaidOut, "fl_is_one_of(x, kWidth)", "x >= 0", kUniform, "output 0 at"},
    {"BottomNotMasked", kLaidOut, kOfLaidOut, "fl_is_one_of(y, kHeight)", "y >= 0", kUniform, "output 0 at"},
    {"StrideForgotten", kLaidOut, kOfLaidOut, "% kOutHeight) * kStrideY", "% kOutHeight) * kStrideX", kUniform, "output 0 at"},
    {"TapOfTheNextPart", kLaidOut, kOfLaidOut, "tap = k / kHeld;", "tap = (k + kPart) / kHeld;", kUniform, "output 0 at"},
    {"StaleSharedMemory", kLaidOut, kOfLaidOut, "i < (kAll + kOfBlock - 1) / kOfBlock", "i < kAll / kOfBlock - 1", kUniform,
     "which no thread of this block has written"},
};

constexpr const char* kDepthwise =
    "graph(x: bf16[2,5,9,13], w: param bf16[5,1,3,3]) { y = Conv(x, w, group=5, strides=[2,1], pads=[1,1,1,1]); return y }";
constexpr const char* kEven =
    "graph(x: f16[1,6,8,16], w: param f16[6,1,3,3]) { y = Conv(x, w, group=6, pads=[1,1,1,1]); return y }";
constexpr const char* kOfWindows = "across=4,block=64,down=2";

constexpr test::SeededDefect kWindowsDefects[] = {
    {"StripsNotMasked", kDepthwise, kOfWindows, "if (strip >= kStrips) return;", "", kUniform, "out of bounds"},
    {"ColumnsNotMasked", kDepthwise, kOfWindows, " || x + across >= kOutWidth", "", kUniform, ""},
    {"LinesNotMasked", kDepthwise, kOfWindows, "y + down >= kOutHeight || ", "", kUniform, ""},
    {"EdgeNotMasked", kEven, kOfWindows, "x >= 0 && x < kWidth) read = fl_load_readonly<fl_operand, 1>",
     "x < kWidth) read = fl_load_readonly<fl_operand, 1>", kUniform, "out of bounds"},
    {"EdgeOfAPartNotMasked", kDepthwise, kOfWindows, "x >= 0 && x < kWidth) read = fl_load_readonly<fl_operand, kRead>",
     "x >= 0) read = fl_load_readonly<fl_operand, kRead>", kUniform, ""},
    {"TopNotMasked", kDepthwise, kOfWindows, "from_y >= 0 && from_y < kHeight", "from_y < kHeight", kUniform, ""},
    {"LineOfTheNextTap", kDepthwise, kOfWindows, "weight[tap * kWindowX + e] * under",
     "weight[tap * kWindowX + kWindowX - 1 - e] * under", kUniform, "output 0 at"},
    {"StripsOverlap", kEven, kOfWindows, "kOutHeight + y + down) * kOutWidth", "kOutHeight + y) * kOutWidth", kUniform, ""},
    {"ReadsNotAligned", kEven, kOfWindows, "kLead = (kRead - kPadX % kRead) % kRead", "kLead = 0", kUniform, ""},
    {"WeightsOfAnotherChannel", kEven, kOfWindows, "fl_left_at(in, batch) + row * kLeftRow;", "fl_left_at(in, 0) + row * kLeftRow;",
     kUniform, "output 0 at"},
};

constexpr const char* kDecode = "graph(x: bf16[3,600], w: param bf16[600,72]) { y = MatMul(x, w); return y }";
constexpr const char* kOfDecode = "min_blocks=1,splits=2,stages=3,tile_n=64,warps=2";

constexpr const char* kFewBytes =
    "graph(x: u8[5,150], w: u8[150,80], z: u8[1], q: u8[1]) { a = Cast(x, to=\"i32\"); zi = Cast(z, to=\"i32\"); c = Sub(a, zi); "
    "b = Cast(w, to=\"i32\"); qi = Cast(q, to=\"i32\"); d = Sub(b, qi); y = MatMul(c, d); return y }";
constexpr const char* kOfFewBytes = "min_blocks=1,splits=1,stages=2,tile_n=64,warps=2";

constexpr test::SeededDefect kFewRowsDefects[] = {
    {"WarpsNotOrdered", kDecode, kOfDecode, "    }\n    fl_barrier();\n  }", "    }\n  }", kUniform, ""},
    {"TileReadTooEarly", kDecode, kOfDecode, "fl_copy_async_wait<kStages - 2>()", "fl_copy_async_wait<kStages - 1>()", kUniform,
     ""},
    {"LanesNotOrdered", kDecode, kOfDecode, "fl_warp_barrier();", "", kUniform, ""},
    {"SplitsOverlap", kDecode, kOfDecode, "const int begin = split * kDepthOfSplit,",
     "const int begin = split * kDepthOfSplit / 2,", kUniform, "output 0 at"},
    {"WarpForgotten", kDecode, kOfDecode, "if (each > 0) sum +=", "if (each > 1) sum +=", kUniform, "output 0 at"},
    {"RowsNotMasked", kDecode, kOfDecode, "row < kM && at < end ?", "at < end ?", kUniform, ""},
    {"ColumnsNotMasked", kDecode, kOfDecode, "if (row >= kM || n0 + column >= kN) return;", "if (row >= kM) return;", kUniform, ""},
    {"WrongFragment", kDecode, kOfDecode, "step + lane / 16 * 8 + lane % 8", "step + lane % 16", kUniform, "output 0 at"},
    {"RowSumsForgotten", kFewBytes, kOfFewBytes, "- right * rows[m].v[e]", "", kUniform, "output 0 at"},
    {"ColumnSumsForgotten", kFewBytes, kOfFewBytes, "sum - left * columns[j].v[e]", "sum", kUniform, "output 0 at"},
    {"TailOfFewBytes", kFewBytes, kOfFewBytes, "(held - steps) * left * right", "0u", kUniform, "output 0 at"},
    {"RestOfEachWarp", kFewBytes, kOfFewBytes, "if (each + 1 == kWarps) sum = offsets.with_rest", "sum = offsets.with_rest",
     kUniform, "output 0 at"},
    {"ColumnsOfFewBytesNotInTurns", kFewBytes, kOfFewBytes, "kColumnsInTurns ? j * 16 + g * 2 + e / 2 : place", "place", kUniform,
     "output 0 at"},
    {"FewBytesShifted", kFewBytes, kOfFewBytes, "<< 8 * b;", "<< 8 * (3 - b);", kUniform, "output 0 at"},
    {"LastSplitForgotten", kDecode, kOfDecode, "split < kSplits;", "split < kSplits - 1;", kUniform, "output 0 at"},
};

class SeededTilesDefects : public ::testing::TestWithParam<test::SeededDefect> {};

TEST_P(SeededTilesDefects, AreCaught) {
  const test::SeededDefect& defect = GetParam();
  const auto seeded = test::seed(defect, cuda::CudaGenerator(), cuda_target());
  ASSERT_TRUE(seeded.ok()) << seeded.error().message;
  std::vector<simt::KernelText> texts = simt::texts_of(seeded.value().sound);
  const std::size_t broken = texts.size();
  for (simt::KernelText& text : simt::texts_of(seeded.value().broken)) texts.push_back(std::move(text));
  const auto object = simt::KernelObject::compile(texts);
  ASSERT_TRUE(object.ok()) << object.error().message;
  const KernelAbi& abi = seeded.value().sound.abi;
  for (const std::uint64_t order : {1, 2, 3}) {
    const InputSpec spec{defect.pattern, 3};
    EXPECT_EQ(try_on_simt(seeded.value().graph, abi, *object.value(), 0, spec, order), "");
    const std::string found = try_on_simt(seeded.value().graph, abi, *object.value(), broken, spec, order);
    EXPECT_NE(found, "");
    EXPECT_THAT(found, ::testing::HasSubstr(defect.found));
  }
}

INSTANTIATE_TEST_SUITE_P(ChannelsLast, SeededTilesDefects, ::testing::ValuesIn(kChannelsLastDefects),
                         [](const auto& each) { return std::string(each.param.name); });
INSTANTIATE_TEST_SUITE_P(Windows, SeededTilesDefects, ::testing::ValuesIn(kWindowsDefects),
                         [](const auto& each) { return std::string(each.param.name); });
INSTANTIATE_TEST_SUITE_P(FewRows, SeededTilesDefects, ::testing::ValuesIn(kFewRowsDefects),
                         [](const auto& each) { return std::string(each.param.name); });
INSTANTIATE_TEST_SUITE_P(Skeleton, SeededTilesDefects, ::testing::ValuesIn(kDefects),
                         [](const auto& each) { return std::string(each.param.name); });

}  // namespace
}  // namespace fuselab::testing
