// SPDX-License-Identifier: Apache-2.0
// Attention on matrix units on the SIMT executor, against the float64 reference: heads that share keys, masks, tails of queries and
// keys × configurations. Without --full a sample that rotates with the seed.
#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>

#include "backends/cuda/cuda_generator.h"
#include "core/base/random.h"
#include "core/graph/graph_text.h"
#include "tests/differential/cuda_trial.h"
#include "tests/support/rotation.h"

namespace fuselab::testing {
namespace {

struct Piece {
  const char* name;
  const char* family;  // that writes it
  const char* graph;
  friend void PrintTo(const Piece& piece, std::ostream* out) { *out << piece.name; }
};

constexpr const char* kWalked = "matrix attention";
constexpr const char* kShared = "matrix decode";

// A wrong key shows where keys are few, or scores large.
constexpr Piece kPieces[] = {
    {"Heads64", kWalked, "graph(q: bf16[1,2,70,64], k: bf16[1,2,70,64], v: bf16[1,2,70,64]) { y = Attention(q, k, v); return y }"},
    {"Heads128", kWalked,
     "graph(q: f16[1,1,65,128], k: f16[1,1,97,128], v: f16[1,1,97,128]) { y = Attention(q, k, v, scale=1.0); return y }"},
    {"Heads80", kWalked,
     "graph(q: bf16[2,1,31,80], k: bf16[2,1,33,80], v: bf16[2,1,33,80]) { y = Attention(q, k, v, scale=0.7); return y }"},
    {"Heads256", kWalked,
     "graph(q: bf16[1,1,17,256], k: bf16[1,1,40,256], v: bf16[1,1,40,256]) { y = Attention(q, k, v); return y }"},
    {"NarrowHeads", kWalked,
     "graph(q: f16[1,3,9,8], k: f16[1,3,13,8], v: f16[1,3,13,24]) { y = Attention(q, k, v, scale=2.0); return y }"},
    {"ValuesOfAnotherSize", kWalked,
     "graph(q: bf16[1,1,20,72], k: bf16[1,1,50,72], v: bf16[1,1,50,40]) { y = Attention(q, k, v); return y }"},
    {"OneKey", kWalked, "graph(q: f16[1,2,5,64], k: f16[1,2,1,64], v: f16[1,2,1,64]) { y = Attention(q, k, v); return y }"},
    {"OneQuery", kWalked,
     "graph(q: bf16[2,2,1,64], k: bf16[2,2,35,64], v: bf16[2,2,35,64]) { y = Attention(q, k, v, scale=1.0); return y }"},
    {"SharedKeys", kWalked,
     "graph(q: bf16[2,4,33,64], k: bf16[2,2,40,64], v: bf16[2,2,40,64]) { y = Attention(q, k, v, scale=1.0); return y }"},
    {"FlatHeads", kWalked,
     "graph(q: f16[2,40,96], k: f16[2,45,48], v: f16[2,45,32]) { y = Attention(q, k, v, q_num_heads=4, kv_num_heads=2); return y "
     "}"},
    {"Causal", kWalked,
     "graph(q: bf16[1,2,130,64], k: bf16[1,2,130,64], v: bf16[1,2,130,64]) { y = Attention(q, k, v, is_causal=1, scale=1.0); "
     "return y }"},
    {"CausalWithMoreKeys", kWalked,
     "graph(q: f16[1,1,40,32], k: f16[1,1,140,32], v: f16[1,1,140,32]) { y = Attention(q, k, v, is_causal=1, scale=1.0); return y "
     "}"},
    {"CausalWithMoreQueries", kWalked,
     "graph(q: f16[1,2,70,80], k: f16[1,1,21,80], v: f16[1,1,21,80]) { y = Attention(q, k, v, is_causal=1); return y }"},
    {"BoolMask", kWalked,
     "graph(q: bf16[1,2,37,64], k: bf16[1,2,6,64], v: bf16[1,2,6,64], m: bool[37,6]) { y = Attention(q, k, v, m); return y }"},
    {"BoolMaskOfHeads", kWalked,
     "graph(q: f16[2,4,9,32], k: f16[2,2,41,32], v: f16[2,2,41,32], m: bool[2,4,9,41]) { y = Attention(q, k, v, m, scale=2.0); "
     "return y }"},
    {"BoolMaskAndCausal", kWalked,
     "graph(q: f16[1,2,35,64], k: f16[1,2,35,64], v: f16[1,2,35,64], m: bool[35,35]) { y = Attention(q, k, v, m, is_causal=1); "
     "return y }"},
    {"AddedMask", kWalked,
     "graph(q: bf16[1,2,33,64], k: bf16[1,2,10,64], v: bf16[1,2,10,64], m: bf16[33,10]) { y = Attention(q, k, v, m); return y }"},
    {"AddedMaskOfOddRows", kWalked,
     "graph(q: f16[2,2,18,64], k: f16[2,2,69,64], v: f16[2,2,69,64], m: f16[2,1,18,69]) { y = Attention(q, k, v, m); return y }"},
    {"Softcap", kWalked,
     "graph(q: bf16[1,1,66,128], k: bf16[1,1,34,128], v: bf16[1,1,34,128]) { y = Attention(q, k, v, softcap=2.0); return y }"},
    {"SoftcapAndMask", kWalked,
     "graph(q: f16[1,2,17,64], k: f16[1,2,19,64], v: f16[1,2,19,64], m: bool[17,19]) { y = Attention(q, k, v, m, softcap=1.5); "
     "return y }"},
    {"WrittenOut", kWalked,
     R"(graph(q: bf16[2,3,40,64], k: bf16[2,3,50,64], v: bf16[2,3,50,64]) { t = Transpose(k, perm=[0,1,3,2]); r = MatMul(q, t);
        c = Constant(value=0.125, dtype="bf16"); s = Mul(r, c); p = Softmax(s); y = MatMul(p, v); return y })"},
    {"WrittenOutOfInterleavedHeads", kWalked,
     R"(graph(q: f16[2,20,3,64], k: f16[2,30,3,64], v: f16[2,30,3,64]) { a = Transpose(q, perm=[0,2,1,3]); b = Transpose(k, perm=[0,2,3,1]);
        w = Transpose(v, perm=[0,2,1,3]); r = MatMul(a, b); p = Softmax(r); y = MatMul(p, w); return y })"},
    {"MaskFilled", kWalked,
     R"(graph(q: bf16[2,2,21,32], k: bf16[2,2,13,32], v: bf16[2,2,13,32], m: bool[2,1,1,13]) { t = Transpose(k, perm=[0,1,3,2]);
        n = Constant(value=-1e4, dtype="bf16"); r = MatMul(q, t); s = Where(m, n, r); p = Softmax(s); y = MatMul(p, v); return y })"},
    {"MaskOfQueriesFilled", kWalked,
     R"(graph(q: f16[1,2,21,32], k: f16[1,2,13,32], v: f16[1,2,13,32], m: bool[1,2,21,1]) { t = Transpose(k, perm=[0,1,3,2]);
        n = Constant(value=-inf, dtype="f16"); r = MatMul(q, t); s = Where(m, r, n); p = Softmax(s); y = MatMul(p, v); return y })"},
    {"MaskInF32", kWalked,
     R"(graph(q: bf16[2,3,9,16], k: bf16[2,3,13,16], v: bf16[2,3,13,8], m: f32[2,1,1,13]) { t = Transpose(k, perm=[0,1,3,2]);
        r = MatMul(q, t); d = Cast(r, to="f32"); s = Add(d, m); w = Softmax(s); p = Cast(w, to="bf16"); y = MatMul(p, v); return y })"},
    {"Singles64", kWalked, "graph(q: f32[1,2,70,64], k: f32[1,2,70,64], v: f32[1,2,70,64]) { y = Attention(q, k, v); return y }"},
    {"Singles128", kWalked,
     "graph(q: f32[1,1,65,128], k: f32[1,1,97,128], v: f32[1,1,97,128]) { y = Attention(q, k, v, scale=1.0); return y }"},
    {"SinglesOfOddSizes", kWalked,
     "graph(q: f32[2,1,31,72], k: f32[2,1,33,72], v: f32[2,1,33,40]) { y = Attention(q, k, v, scale=0.7); return y }"},
    {"SinglesCausal", kWalked,
     "graph(q: f32[1,2,70,32], k: f32[1,1,140,32], v: f32[1,1,140,32]) { y = Attention(q, k, v, is_causal=1); return y }"},
    {"SinglesWithBoolMask", kWalked,
     "graph(q: f32[1,2,37,64], k: f32[1,2,6,64], v: f32[1,2,6,64], m: bool[37,6]) { y = Attention(q, k, v, m); return y }"},
    {"SinglesWithAddedMask", kWalked,
     "graph(q: f32[2,2,18,64], k: f32[2,2,69,64], v: f32[2,2,69,64], m: f32[2,1,18,69]) { y = Attention(q, k, v, m, softcap=2.0); "
     "return y }"},
    {"SinglesWrittenOut", kWalked,
     R"(graph(q: f32[2,20,3,64], k: f32[2,30,3,64], v: f32[2,30,3,64]) { a = Transpose(q, perm=[0,2,1,3]); b = Transpose(k, perm=[0,2,3,1]);
        w = Transpose(v, perm=[0,2,1,3]); r = MatMul(a, b); c = Constant(value=0.125); s = Mul(r, c); p = Softmax(s);
        y = MatMul(p, w); return y })"},
    {"SinglesDecode", kShared,
     "graph(q: f32[1,8,1,128], k: f32[1,2,300,128], v: f32[1,2,300,128]) { y = Attention(q, k, v); return y }"},
    {"SinglesDecodeWithMask", kShared,
     "graph(q: f32[2,4,2,40], k: f32[2,2,515,40], v: f32[2,2,515,64], m: bool[2,1,1,515]) { y = Attention(q, k, v, m, scale=1.0); "
     "return y }"},
    {"Decode", kShared,
     "graph(q: bf16[1,8,1,128], k: bf16[1,2,300,128], v: bf16[1,2,300,128]) { y = Attention(q, k, v, scale=1.0); return y }"},
    {"DecodeOfOneHead", kShared,
     "graph(q: f16[2,1,1,64], k: f16[2,1,1000,64], v: f16[2,1,1000,64]) { y = Attention(q, k, v, scale=1.0); return y }"},
    {"DecodeOfSomeQueries", kShared,
     "graph(q: f16[1,6,5,80], k: f16[1,2,259,80], v: f16[1,2,259,80]) { y = Attention(q, k, v); return y }"},
    {"DecodeOfFlatHeads", kShared,
     "graph(q: bf16[2,1,96], k: bf16[2,280,48], v: bf16[2,280,32]) { y = Attention(q, k, v, q_num_heads=4, kv_num_heads=2); return "
     "y }"},
    {"DecodeWithMask", kShared,
     "graph(q: bf16[2,4,1,64], k: bf16[2,2,515,64], v: bf16[2,2,515,64], m: bool[2,1,1,515]) { y = Attention(q, k, v, m, "
     "scale=4.0); return y }"},
    {"DecodeWithAddedMask", kShared,
     "graph(q: f16[1,4,2,64], k: f16[1,1,258,64], v: f16[1,1,258,64], m: f16[1,4,2,258]) { y = Attention(q, k, v, m, softcap=3.0); "
     "return y }"},
    {"DecodeLongVectors", kShared,
     "graph(q: f16[1,3,1,192], k: f16[1,1,270,192], v: f16[1,1,270,192]) { y = Attention(q, k, v); return y }"},
};

constexpr std::size_t kConfigurations = 6;  // per piece: the default and others
constexpr std::size_t kSampled = 2;
constexpr std::size_t kKernelsPerObject = 8;

struct Trial {
  Graph graph;
  LaunchConfig config;
  SourceModule source;
  InputPattern pattern;  // tried besides uniform inputs
};

std::vector<Trial> trials_of(const Piece& piece, SeededRandom& random) {
  const cuda::CudaGenerator generator;
  std::vector<Trial> trials;
  const auto graph = parse_graph(piece.graph);
  EXPECT_TRUE(graph.ok()) << (graph.ok() ? "" : graph.error().message);
  if (!graph.ok()) return trials;
  const auto configs = generator.space(graph.value(), cuda_target()).enumerate(100000);
  for (std::size_t i = 0; i < kConfigurations; ++i) {
    LaunchConfig config = i == 0 ? generator.default_config(graph.value(), cuda_target()) : configs[random.below(configs.size())];
    auto source = generator.generate(graph.value(), config, cuda_target());
    EXPECT_TRUE(source.ok()) << source.error().message << "\n" << cuda_repro(graph.value(), config, cuda_target());
    if (!source.ok()) continue;
    EXPECT_NE(source.value().text.find(std::string(", ") + piece.family + ") for"), std::string::npos);
    constexpr InputPattern kOthers[] = {InputPattern::kLarge, InputPattern::kSpecial, InputPattern::kDenormal};
    trials.push_back({graph.value(), std::move(config), std::move(source.value()), kOthers[i % std::size(kOthers)]});
  }
  return trials;
}

void run_trials(std::span<const Trial> trials, std::uint64_t seed) {
  std::vector<simt::KernelText> texts;
  std::vector<std::size_t> first;  // of each trial
  for (const Trial& each : trials) {
    first.push_back(texts.size());
    for (simt::KernelText& text : simt::texts_of(each.source)) texts.push_back(std::move(text));
  }
  const auto object = simt::KernelObject::compile(texts);
  ASSERT_TRUE(object.ok()) << object.error().message;
  for (std::size_t i = 0; i < trials.size(); ++i) {
    const Trial& each = trials[i];
    for (const InputPattern pattern : {InputPattern::kUniform, each.pattern}) {
      simt::SharedBanks banks;
      EXPECT_EQ(try_on_simt(each.graph, each.source.abi, *object.value(), first[i], {pattern, 7}, seed + i, nullptr, &banks), "")
          << cuda_repro(each.graph, each.config, cuda_target());
      EXPECT_GT(banks.rows.passes, 0);
      EXPECT_EQ(conflicts_of(banks), "") << cuda_repro(each.graph, each.config, cuda_target());
    }
  }
}

class CudaAttention : public ::testing::TestWithParam<Piece> {};

TEST_P(CudaAttention, MatchesTheReferenceOnTheSimtExecutor) {
  const unsigned seed = test::sample_seed();
  SeededRandom spread(20261129), random(seed + 1);
  std::vector<Trial> trials = trials_of(GetParam(), spread);
  const std::size_t all = trials.size();
  if (!test::run_everything()) {
    for (std::size_t i = 0; i < std::min(kSampled, all); ++i) std::swap(trials[i], trials[i + random.below(all - i)]);
    trials.resize(std::min(kSampled, all));
  }
  for (std::size_t at = 0; at < trials.size(); at += kKernelsPerObject)
    run_trials(std::span(trials).subspan(at, std::min(kKernelsPerObject, trials.size() - at)), seed);
  std::cout << GetParam().name << ": " << trials.size() << " kernels, each with two kinds of input; " << all - trials.size()
            << " sampled out (seed " << seed << ")\n";
  EXPECT_GT(trials.size(), 0U);
}

INSTANTIATE_TEST_SUITE_P(Pieces, CudaAttention, ::testing::ValuesIn(kPieces),
                         [](const auto& each) { return std::string(each.param.name); });

// Rows of 128 bytes whose parts stay where they are lie in the same banks.
TEST(CudaAttentionBanks, ConflictWhereRowsAreNotSwizzled) {
  const cuda::CudaGenerator generator;
  const Graph graph = parse_graph(kPieces[0].graph).value();
  SourceModule source = generator.generate(graph, generator.default_config(graph, cuda_target()), cuda_target()).value();
  const std::string swizzle = "part ^ (row & 7)";
  ASSERT_NE(source.text.find(swizzle), std::string::npos);
  source.text.replace(source.text.find(swizzle), swizzle.size(), "part");
  const auto object = simt::KernelObject::compile(simt::texts_of(source));
  ASSERT_TRUE(object.ok()) << object.error().message;
  simt::SharedBanks banks;
  EXPECT_EQ(try_on_simt(graph, source.abi, *object.value(), 0, {}, 1, nullptr, &banks), "");
  EXPECT_GT(banks.rows.conflicts, 0);
}

// What matrix units do not take, the family for many threads does.
TEST(CudaAttentionFamilies, LeaveTheRestToOneThreadAnElement) {
  const cuda::CudaGenerator generator;
  for (const char* const text :
       {"graph(q: f64[1,2,9,64], k: f64[1,2,9,64], v: f64[1,2,9,64]) { y = Attention(q, k, v); return y }",
        "graph(q: bf16[1,2,9,60], k: bf16[1,2,9,60], v: bf16[1,2,9,64]) { y = Attention(q, k, v); return y }",
        "graph(q: bf16[1,2,9,64], k: bf16[1,2,9,64], v: bf16[1,2,9,264]) { y = Attention(q, k, v); return y }",
        "graph(q: bf16[2,2,9,64], k: bf16[2,2,64,13], v: bf16[2,2,13,64]) { r = MatMul(q, k); p = Softmax(r); y = MatMul(p, v); "
        "return y }"}) {
    const Graph graph = parse_graph(text).value();
    const auto source = generator.generate(graph, generator.default_config(graph, cuda_target()), cuda_target());
    ASSERT_TRUE(source.ok()) << source.error().message;
    EXPECT_NE(source.value().text.find("simt attention"), std::string::npos) << text;
  }
}

}  // namespace
}  // namespace fuselab::testing
