// SPDX-License-Identifier: Apache-2.0
// Ways in which attention on matrix units goes wrong, put into generated text one at a time: each must be caught in every order of
// the threads that is tried, the text as generated must pass.
#include <gmock/gmock.h>

#include "backends/cuda/cuda_generator.h"
#include "tests/differential/cuda_trial.h"
#include "tests/support/seeded_defect.h"

namespace fuselab::testing {
namespace {

constexpr const char* kPlain =
    "graph(q: bf16[1,2,33,64], k: bf16[1,2,70,64], v: bf16[1,2,70,64]) { y = Attention(q, k, v, scale=1.0); return y }";
constexpr const char* kFewKeys =
    "graph(q: f16[1,1,33,64], k: f16[1,1,6,64], v: f16[1,1,6,64]) { y = Attention(q, k, v); return y }";
constexpr const char* kCausal =
    "graph(q: bf16[1,1,65,32], k: bf16[1,1,65,32], v: bf16[1,1,65,32]) { y = Attention(q, k, v, is_causal=1); return y }";
constexpr const char* kCausalWithMoreKeys =
    "graph(q: bf16[1,1,17,64], k: bf16[1,1,300,64], v: bf16[1,1,300,64]) { y = Attention(q, k, v, is_causal=1); return y }";
constexpr const char* kMasked =
    "graph(q: bf16[1,1,33,64], k: bf16[1,1,6,64], v: bf16[1,1,6,64], m: bool[33,6]) { y = Attention(q, k, v, m); return y }";
constexpr const char* kSharedKeys =
    "graph(q: f16[1,4,17,64], k: f16[1,2,20,64], v: f16[1,2,20,64]) { y = Attention(q, k, v, scale=1.0); return y }";
constexpr const char* kDecode =
    "graph(q: bf16[1,16,1,64], k: bf16[1,2,460,64], v: bf16[1,2,460,64]) { y = Attention(q, k, v, scale=1.0); return y }";
constexpr const char* kDecodeQueries =
    "graph(q: f16[1,6,5,64], k: f16[1,2,260,64], v: f16[1,2,260,64]) { y = Attention(q, k, v, scale=1.0); return y }";

constexpr const char* kSingles =
    "graph(q: f32[1,2,33,64], k: f32[1,2,70,64], v: f32[1,2,70,64]) { y = Attention(q, k, v, scale=1.0); return y }";
constexpr const char* kSinglesDecode =
    "graph(q: f32[1,6,5,64], k: f32[1,2,260,64], v: f32[1,2,260,64]) { y = Attention(q, k, v, scale=1.0); return y }";

constexpr const char* kTwoStages = "min_blocks=1,queries_stay=1,stages=2,tile_k=32,tile_q=64";
constexpr const char* kOneStage = "min_blocks=1,queries_stay=0,stages=1,tile_k=32,tile_q=64";
constexpr const char* kSkipping = "min_blocks=1,queries_stay=1,skip_hidden=1,stages=2,tile_k=32,tile_q=64";
constexpr const char* kQueriesShared = "min_blocks=1,queries_stay=0,stages=2,tile_k=32,tile_q=64";
constexpr const char* kParts = "min_blocks=1,parts=2,stages=2,tile_k=16,warps=4";
constexpr const char* kOnePart = "min_blocks=1,parts=1,stages=2,tile_k=16,warps=4";

constexpr InputPattern kUniform = InputPattern::kUniform;

constexpr test::SeededDefect kDefects[] = {
    {"BarrierRemoved", kPlain, kTwoStages,
     "    fl_barrier();  // this step's keys are there, and the tiles of the step before are free\n", "", kUniform, " of block "},
    {"CopiesNotWaitedFor", kPlain, kTwoStages, "fl_copy_async_wait<kStages == 1 ? 0 : kStages - 2>();", "", kUniform, " of block "},
    {"StageFreedEarly", kPlain, kTwoStages, "fetch_keys(step + kStages - 1), fetch_values(step + kStages - 1)",
     "fetch_keys(step + kStages), fetch_values(step + kStages)", kUniform, " of block "},
    {"ValuesNeverFetched", kPlain, kTwoStages, "if (step < steps) fetch_keys(step), fetch_values(step);",
     "if (step < steps) fetch_keys(step);", kUniform, "which no thread of this block has written"},
    {"BarrierOfValuesRemoved", kPlain, kOneStage, "      fl_barrier();  // this step's values are there, and its keys are free\n",
     "", kUniform, " of block "},
    {"QueriesOfTheFirstWarp", kPlain, kOneStage, "query_tile, warp * 16, d, lane", "query_tile, 0, d, lane", kUniform,
     "output 0 at"},
    {"KeysExchanged", kPlain, kTwoStages, "j * 16 + lane % 8 + lane / 16 * 8", "j * 16 + lane % 16", kUniform, "output 0 at"},
    {"ValuesNotTurned", kPlain, kTwoStages, "fl_load_matrices_turned(right", "fl_load_matrices(right", kUniform, "output 0 at"},
    {"RowsOfQueriesExchanged", kPlain, kTwoStages, "rows[e % 2]", "rows[e / 2]", kUniform, "output 0 at"},
    {"ResultsNotScaled", kPlain, kTwoStages, "results[j][half * 2] *= less, results[j][half * 2 + 1] *= less;", ";", kUniform,
     "output 0 at"},
    {"SumsOfOneLane", kPlain, kTwoStages, "sum[half] += fl_shuffle_xor(sum[half], mask, 32);", ";", kUniform, "output 0 at"},
    {"LastTileMissing", kPlain, kTwoStages, "(seen + kTileK - 1) / kTileK", "seen / kTileK", kUniform, "output 0 at"},
    {"TailOfKeysUnmasked", kFewKeys, kTwoStages, "key >= kKeys || ", "", kUniform, "output 0 at"},
    {"TailOfQueriesRead", kFewKeys, kTwoStages, "query + 8 < kQueries ? queries + (query + 8) * kQueryPitch : nullptr",
     "queries + (query + 8) * kQueryPitch", kUniform, "past the end of buffer q"},
    {"TailOfQueriesWritten", kFewKeys, kTwoStages, "if (query + half * 8 >= kQueries) continue;", "", kUniform,
     "past the end of buffer y"},
    {"CausalOffByOne", kCausal, kSkipping, "key > query + e / 2 * 8", "key >= query + e / 2 * 8", kUniform, "output 0 at"},
    {"CausalTileOffByOne", kCausal, kSkipping, "(kCausal && end > first_query + warp * 16 + 1)",
     "(kCausal && end > first_query + warp * 16 + 32)", kUniform, "output 0 at"},
    {"NanOfLaterValuesLost", kCausalWithMoreKeys, kSkipping, "if (kCausal && steps * kTileK < kKeys) fl_add_unseen",
     "if (false) fl_add_unseen", InputPattern::kSpecial, "output 0 at"},
    {"MaskMissing", kMasked, kSkipping, "pair = fl_scores(in, mask_at[half], first_key + j * 8, pair);", "", kUniform,
     "output 0 at"},
    {"MaskOfTheNeighbour", kMasked, kSkipping, "query + half * 8 < kQueries ? query + half * 8 : kQueries - 1",
     "query < kQueries ? query : kQueries - 1", kUniform, "output 0 at"},
    {"HiddenRowsAreNan", kMasked, kSkipping, "kHiddenIsZero && sum == 0.0f ? 0.0f : ", "", InputPattern::kSpecial, "output 0 at"},
    {"WrongHeadOfKeys", kSharedKeys, kTwoStages, "fl_keys_at(in, batch)", "fl_keys_at(in, batch * 2 % 4)", kUniform, "output 0 at"},
    {"WarpBarrierRemoved", kDecode, kParts, "    fl_warp_barrier();  // the warp's copies are there, and its tile before is free\n",
     "", kUniform, " of block "},
    {"TurnFreedEarly", kDecode, kParts, "fetch(turn + kStages - 1);", "fetch(turn + kStages);", kUniform, " of block "},
    {"EndOfKeysUnmasked", kDecodeQueries, kOnePart, "e >= end ||", "e >= first_key + kKeysOfPart ||", kUniform, "output 0 at"},
    {"WarpsNotWeighed", kDecode, kOnePart, "const float by = fl_exp2_fast((most[half] - top) * kPower);", "const float by = 1.0f;",
     kUniform, "output 0 at"},
    {"FoldWithoutBarrier", kDecode, kOnePart, "        }\n    }\n    fl_barrier();\n", "        }\n    }\n", kUniform, "totals["},
    {"QueriesOfOneHead", kDecodeQueries, kOnePart, "row % kQueries * kQueryPitch", "row % kQueries / 2 * kQueryPitch", kUniform,
     "output 0 at"},
    {"PartsNotWeighed", kDecode, kParts, "const float by = fl_exp2_fast((part[kWidth] - top) * kPower);", "const float by = 1.0f;",
     kUniform, "output 0 at"},
    {"PartsOfOneRow", kDecode, kParts, "batch % kGroup * kQueries + query", "query", kUniform, "output 0 at"},
    {"LastPartMissing", kDecode, kParts, "for (int p = 0; p < kParts; ++p) {", "for (int p = 0; p < kParts - 1; ++p) {", kUniform,
     "output 0 at"},
    {"LowPartsOfQueriesLost", kSingles, kQueriesShared,
     "fl_multiply_tf32(sums[n], left.low, right[n].finite[0], right[n].finite[1]);", ";", kUniform, "output 0 at"},
    {"LowPartsOfKeysLost", kSingles, kQueriesShared, "fl_multiply_tf32(sums[n], left.finite, right[n].low[0], right[n].low[1]);",
     ";", kUniform, "output 0 at"},
    {"WeightsInTheirOldPlaces", kSingles, kQueriesShared, "weights[i][e % 2 * 2 + e / 2]", "weights[i][e]", kUniform,
     "output 0 at"},
    {"ValuesOfOtherKeys", kSingles, kQueriesShared, "lane % 4 * 2 + e, column", "lane % 4 + e * 4, column", kUniform,
     "output 0 at"},
    {"SecondHalfOfAStepLost", kSingles, kOneStage, "first + lane % 16, step * 4 + half * 2", "first + lane % 16, step * 4",
     kUniform, "output 0 at"},
    {"KeysOfSinglesExchanged", kSinglesDecode, kParts, "lane % 8 + lane / 16 * 8, step * 4", "lane % 16, step * 4", kUniform,
     "output 0 at"},
    {"QueriesOfSinglesExchanged", kSinglesDecode, kOnePart, "(rows[e % 2] + at)", "(rows[e % 2] + at / 2)", kUniform,
     "output 0 at"},
};

class SeededAttentionDefects : public ::testing::TestWithParam<test::SeededDefect> {};

TEST_P(SeededAttentionDefects, AreCaught) {
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

INSTANTIATE_TEST_SUITE_P(Generator, SeededAttentionDefects, ::testing::ValuesIn(kDefects),
                         [](const auto& each) { return std::string(each.param.name); });

}  // namespace
}  // namespace fuselab::testing
