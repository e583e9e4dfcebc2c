// SPDX-License-Identifier: Apache-2.0
// Generated HIP kernels on the SIMT executor, against the float64 reference: every family, with wavefronts of 64 and of 32 lanes
// and the matrix units of each architecture. Without --full a sample that rotates with the seed.
#include <gmock/gmock.h>

#include <iostream>

#include "backends/rocm/hip_generator.h"
#include "core/base/random.h"
#include "core/graph/graph_text.h"
#include "core/kernel/virtual_target.h"
#include "tests/differential/cuda_trial.h"
#include "tests/support/rotation.h"
#include "tests/support/seeded_defect.h"

namespace fuselab::testing {
namespace {

struct Piece {
  const char* name;
  const char* graph;
  bool on_units = false;  // a matrix unit multiplies where the architecture has one for its type
  friend void PrintTo(const Piece& piece, std::ostream* out) { *out << piece.name; }
};

constexpr Piece kPieces[] = {
    {"Chain", R"(graph(x: f16[17,64], b: param f16[64]) { s = Add(x, b); y = Gelu(s); return y })"},
    {"Functions", R"(graph(x: f32[5,257]) { a = Abs(x); s = Sqrt(a); t = Tanh(s); e = Erf(t); n = Neg(e); y = Exp(n); return y })"},
    {"Doubles", R"(graph(x: f64[3,520]) { e = Exp(x); y = Cast(e, to="f32"); return y })"},
    {"RowsOfAWavefront", R"(graph(x: f32[33,96]) { y = Softmax(x); return y })"},
    {"LongRows", R"(graph(x: bf16[2,4104], w: param bf16[4104]) { y = RMSNormalization(x, w); return y })"},
    {"LongOddRows",
     R"(graph(x: f16[3,4105], w: param f16[4105], b: param f16[4105]) { y = LayerNormalization(x, w, b); return y })"},
    {"Labels", R"(graph(x: f32[7,65], l: i64[7]) { y = SoftmaxCrossEntropyLoss(x, l, reduction="none"); return y })"},
    {"FoldedToANumber", R"(graph(x: f32[70000]) { y = ReduceMax(x, keepdims=0); return y })"},
    {"RotateHalf", R"(graph(q: f32[2,9,24], cos: f32[9,24], sin: f32[9,24]) { l = Slice(q, starts=[0], ends=[12], axes=[-1]);
       h = Slice(q, starts=[12], ends=[24], axes=[-1]); n = Neg(h); t = Concat(n, l, axis=-1); a = Mul(q, cos); b = Mul(t, sin);
       y = Add(a, b); return y })"},
    {"Moved", R"(graph(x: f32[6,5,7]) { y = Transpose(x, perm=[2,0,1]); return y })"},
    {"Taken", R"(graph(x: f32[9,6], i: i64[4]) { y = Gather(x, i, axis=0); return y })"},
    {"Pooled", R"(graph(x: f32[1,3,9,8]) { y = MaxPool(x, kernel_shape=[3,3], strides=[2,2], pads=[1,1,1,1]); return y })"},
    {"AttentionOfFewQueries", R"(graph(q: f32[1,2,5,16], k: f32[1,2,13,16], v: f32[1,2,13,16]) { y = Attention(q, k, v);
       return y })"},
    {"Attention", R"(graph(q: f16[1,2,40,24], k: f16[1,2,75,24], v: f16[1,2,75,40]) { y = Attention(q, k, v); return y })", true},
    {"CausalAttention", R"(graph(q: bf16[1,2,70,64], k: bf16[1,1,70,64], v: bf16[1,1,70,64]) { y = Attention(q, k, v, is_causal=1);
       return y })",
     true},
    {"MaskedAttention", R"(graph(q: f32[1,2,33,16], k: f32[1,2,50,16], v: f32[1,2,50,16], m: f32[33,50]) {
       y = Attention(q, k, v, m); return y })",
     true},
    {"FewRows", R"(graph(x: f16[3,120], w: param f16[120,72]) { m = MatMul(x, w); y = Relu(m); return y })"},
    {"Depthwise", R"(graph(x: f16[1,9,12,16], w: param f16[9,1,3,3]) { y = Conv(x, w, group=9, pads=[1,1,1,1]); return y })"},
    {"TailsEverywhere", R"(graph(x: bf16[70,72], w: param bf16[72,88], b: param bf16[88]) { m = MatMul(x, w); s = Add(m, b);
       y = Relu(s); return y })",
     true},
    {"OddColumns", R"(graph(x: f16[33,40], w: param f16[40,35]) { m = MatMul(x, w); y = Tanh(m); return y })", true},
    {"OddDepth", R"(graph(x: f32[24,37], w: param f32[37,48]) { y = MatMul(x, w); return y })", true},
    {"Deep", R"(graph(x: bf16[24,600], w: param bf16[600,32]) { y = MatMul(x, w); return y })", true},
    {"Batches", R"(graph(x: f16[2,3,20,32], w: f16[2,1,32,40]) { y = MatMul(x, w); return y })", true},
    {"AlongDepth", R"(graph(x: f32[40,48], w: param f32[56,48], b: param f32[56]) { y = Gemm(x, w, b, transB=1); return y })",
     true},
    {"BothTurned", R"(graph(x: f16[48,40], w: param f16[24,48]) { y = Gemm(x, w, transA=1, transB=1); return y })", true},
    {"WeightsOfBytes", R"(graph(x: f16[40,72], w: param i8[72,88], s: param f16[88]) { f = Cast(w, to="f16"); d = Mul(f, s);
       y = MatMul(x, d); return y })",
     true},
    {"Image", R"(graph(x: f16[2,6,9,11], w: param f16[16,6,3,3], b: param f16[16]) { c = Conv(x, w, b, pads=[1,1,1,1]);
       y = Relu(c); return y })",
     true},
    {"SignedBytes", R"(graph(x: i8[40,48], w: i8[48,40]) { a = Cast(x, to="i32"); b = Cast(w, to="i32"); y = MatMul(a, b);
       return y })",
     true},
    {"BytesWithZeroPoints", R"(graph(x: u8[33,50], w: u8[50,40], z: u8[1], v: u8[40], q: param f32[40]) {
       a = Cast(x, to="i32"); zi = Cast(z, to="i32"); c = Sub(a, zi); b = Cast(w, to="i32"); vi = Cast(v, to="i32"); d = Sub(b, vi);
       m = MatMul(c, d); f = Cast(m, to="f32"); s = Mul(f, q); y = Relu(s); return y })",
     true},
};

constexpr const char* kTargets[] = {"gfx90a", "gfx942", "gfx950", "gfx1100", "gfx1201"};
constexpr std::size_t kConfigurations = 3;  // per piece and target: the default and others
constexpr unsigned kOneTargetIn = 3;

struct Case {
  Graph graph;
  LaunchConfig config;
  Target target;
  SourceModule source;
};

// RDNA's units multiply no f32.
bool has_unit(const Piece& piece, const Target& target) {
  const std::string_view graph = piece.graph;
  const bool is_f32 = graph.starts_with("graph(x: f32[") || graph.starts_with("graph(q: f32[");
  return piece.on_units && (target.limits.at("warp") == 64 || !is_f32);
}

std::vector<Case> cases_of(const Piece& piece, const char* id, SeededRandom& random) {
  const hip::HipGenerator generator;
  const Target target = virtual_target(id).value().target;
  const auto graph = parse_graph(piece.graph);
  EXPECT_TRUE(graph.ok()) << (graph.ok() ? "" : graph.error().message);
  std::vector<Case> cases;
  if (!graph.ok()) return cases;
  const Support support = generator.supports(graph.value(), target);
  EXPECT_TRUE(support.yes) << support.why_not << ": " << piece.name << " for " << id;
  if (!support.yes) return cases;
  const auto configs = generator.space(graph.value(), target).enumerate(100000);
  for (std::size_t i = 0; i < kConfigurations; ++i) {
    const LaunchConfig config = i == 0 ? generator.default_config(graph.value(), target) : configs[random.below(configs.size())];
    auto source = generator.generate(graph.value(), config, target);
    EXPECT_TRUE(source.ok()) << (source.ok() ? "" : source.error().message) << "\n" << cuda_repro(graph.value(), config, target);
    if (!source.ok()) continue;
    EXPECT_EQ(source.value().text.find("constexpr int kUnitLines") != std::string::npos, has_unit(piece, target))
        << "written by another family: " << cuda_repro(graph.value(), config, target);
    cases.push_back({graph.value(), config, target, std::move(source.value())});
  }
  return cases;
}

class HipKernels : public ::testing::TestWithParam<Piece> {};

TEST_P(HipKernels, MatchTheReferenceOnTheSimtExecutor) {
  SeededRandom spread(20261130);
  std::vector<Case> cases;
  for (std::size_t i = 0; i < std::size(kTargets); ++i) {
    std::vector<Case> of_target = cases_of(GetParam(), kTargets[i], spread);
    if (!test::run_everything() && (i + test::sample_seed()) % kOneTargetIn != 0) continue;
    std::move(of_target.begin(), of_target.end(), std::back_inserter(cases));
  }
  std::vector<simt::KernelText> texts;
  std::vector<std::size_t> first;
  for (const Case& each : cases) {
    first.push_back(texts.size());
    for (simt::KernelText& text : simt::texts_of(each.source)) texts.push_back(std::move(text));
  }
  const auto object = simt::KernelObject::compile(texts);
  ASSERT_TRUE(object.ok()) << object.error().message;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    EXPECT_EQ(object.value()->lanes(first[i]), cases[i].target.limits.at("warp"));
    for (const InputPattern pattern : {InputPattern::kUniform, InputPattern::kSpecial}) {
      EXPECT_EQ(try_on_simt(cases[i].graph, cases[i].source.abi, *object.value(), first[i], {pattern, 7}, i + 1), "")
          << cuda_repro(cases[i].graph, cases[i].config, cases[i].target);
    }
  }
  std::cout << GetParam().name << ": " << cases.size() << " cases (seed " << test::sample_seed() << ")\n";
  EXPECT_GT(cases.size(), 0U);
}

INSTANTIATE_TEST_SUITE_P(Pieces, HipKernels, ::testing::ValuesIn(kPieces),
                         [](const auto& each) { return std::string(each.param.name); });

constexpr const char* kTails =
    "graph(x: bf16[70,104], w: param bf16[104,88], b: param bf16[88]) { m = MatMul(x, w); s = Add(m, b); y = Relu(s); return y }";
constexpr const char* kAlongDepth = "graph(x: f16[40,136], w: param f16[56,136]) { y = Gemm(x, w, transB=1); return y }";
constexpr const char* kBytes =
    "graph(x: u8[33,150], w: u8[150,40], z: u8[1], q: u8[1]) { a = Cast(x, to=\"i32\"); zi = Cast(z, to=\"i32\"); c = Sub(a, zi); "
    "b = Cast(w, to=\"i32\"); qi = Cast(q, to=\"i32\"); d = Sub(b, qi); y = MatMul(c, d); return y }";
constexpr const char* kRows = "graph(x: f32[3,300]) { y = Softmax(x); return y }";
constexpr const char* kHalves = "band=1,depth=32,splits=1,stages=1,warp_m=32,warp_n=32,warps_m=1,warps_n=2";
constexpr const char* kTwoStages = "band=1,depth=32,splits=1,stages=2,warp_m=32,warp_n=32,warps_m=1,warps_n=2";
constexpr const char* kOfBytes = "band=1,depth=64,splits=1,stages=1,warp_m=32,warp_n=32,warps_m=1,warps_n=1";
constexpr const char* kOfRows = "block=128,keep=0,persistent=0,rows_per_block=1,streaming=0,unroll=1,vector=1";
constexpr InputPattern kUniform = InputPattern::kUniform;

// Ways in which such a kernel goes wrong, put into its text one at a time.
constexpr test::SeededDefect kDefects[] = {
    {"BarrierRemoved", kTails, kHalves, "fl_barrier();  // the stage is filled", "// the stage is filled", kUniform, ""},
    {"StageFreedEarly", kTails, kHalves, "if (kStages == 1) fl_barrier();", "", kUniform, ""},
    {"StagesTheSame", kTails, kTwoStages, "left_stage.settle(left_tiles + step % kStages * kLeftStage)",
     "left_stage.settle(left_tiles)", kUniform, ""},
    {"SumsOfOtherColumns", kTails, kHalves, "sum / 4 * 8 + half * 4 + sum % 4", "half * 16 + sum", kUniform, "output 0 at"},
    {"HalvesSwapped", kTails, kHalves, "sum / 4 * 8 + half * 4", "sum / 4 * 8 + (1 - half) * 4", kUniform, "output 0 at"},
    {"GroupsTheSame", kTails, kHalves, "kUnitTwice ? 0 : fl_lane() % kUnitLanes / kUnitLines", "0", kUniform, "output 0 at"},
    {"OperandsSwapped", kTails, kHalves, "a.v[i] = right.v[first + i], b.v[i] = left.v[first + i]",
     "a.v[i] = left.v[first + i], b.v[i] = right.v[first + i]", kUniform, "output 0 at"},
    {"PartsNotWhereTheyLie", kTails, kHalves, "fl_part_at<Parts>(first + fl_unit_line(), part)",
     "fl_part_at<Parts>(fl_unit_line(), part)", kUniform, "output 0 at"},
    {"NotTurned", kTails, kHalves, "turned.v[t] = held[i * kTurns + t].v[l]", "turned.v[t] = held[i * kTurns + t].v[t]", kUniform,
     "output 0 at"},
    {"DepthNotMasked", kAlongDepth, kHalves, "of < lines ? fl_valid(k, depth) : 0", "of < lines ? kPart : 0", kUniform, ""},
    {"LinesNotMasked", kAlongDepth, kHalves, "of < lines ? fl_valid(k, depth) : 0", "fl_valid(k, depth)", kUniform,
     "out of bounds"},
    {"ResultsNotMasked", kTails, kHalves, "if (row >= kM || column >= kN) continue;", "", kUniform, "out of bounds"},
    {"LastStepForgotten", kAlongDepth, kHalves, "(kK + kTileK - 1) / kTileK;", "kK / kTileK;", kUniform, "output 0 at"},
    {"ZeroPointForgotten", kBytes, kOfBytes, "- left_flipped * columns[j].v[e]", "", kUniform, "output 0 at"},
    {"TailOfZeroPoints", kBytes, kOfBytes, "(kHeld - kK) * left * right", "0", kUniform, ""},
    {"GroupsNotAddedUp", kBytes, kOfBytes, "rows[i] += fl_shuffle_xor(rows[i], kUnitLines, kUnitLanes)", "rows[i] += 0", kUniform,
     "output 0 at"},
    {"UnsignedReadAsSigned", kBytes, kOfBytes, "Flipped ? fl_flipped(read.v[e]) : read.v[e]", "read.v[e]", kUniform, "output 0 at"},
    {"WavefrontsOf32", kRows, kOfRows, "fl_lane() == 0", "fl_lane() % 32 == 0", kUniform, ""},
    {"HalfOfAWavefront", kRows, kOfRows, ", 32, 64)", ", 16, 64)", kUniform, "output 0 at"},
};

class SeededHipDefects : public ::testing::TestWithParam<test::SeededDefect> {};

TEST_P(SeededHipDefects, AreCaught) {
  const test::SeededDefect& defect = GetParam();
  const auto seeded = test::seed(defect, hip::HipGenerator(), virtual_target("gfx942").value().target);
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

INSTANTIATE_TEST_SUITE_P(Texts, SeededHipDefects, ::testing::ValuesIn(kDefects),
                         [](const auto& each) { return std::string(each.param.name); });

}  // namespace
}  // namespace fuselab::testing
