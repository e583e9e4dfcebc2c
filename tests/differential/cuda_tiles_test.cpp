// SPDX-License-Identifier: Apache-2.0
// Contractions by matrix units on the SIMT executor, against the float64 reference: every way in which operands reach the unit,
// with tails along rows, columns and depth. Without --full a sample that rotates with the seed.
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

struct Product {
  const char* name;
  const char* graph;  // T stands for every type of kTypes
  friend void PrintTo(const Product& product, std::ostream* out) { *out << product.name; }
};

constexpr Product kProducts[] = {
    {"WholeTiles", R"(graph(x: T[64,64], w: param T[64,64]) { y = MatMul(x, w); return y })"},
    {"TailsEverywhere", R"(graph(x: T[70,72], w: param T[72,88], b: param T[88]) { m = MatMul(x, w); s = Add(m, b); y = Relu(s);
       return y })"},
    {"OddColumns", R"(graph(x: T[33,40], w: param T[40,35]) { m = MatMul(x, w); y = Tanh(m); return y })"},
    {"OddDepth", R"(graph(x: T[24,37], w: param T[37,48]) { y = MatMul(x, w); return y })"},
    {"Deep", R"(graph(x: T[24,600], w: param T[600,32]) { y = MatMul(x, w); return y })"},
    {"Batches", R"(graph(x: T[2,3,20,32], w: T[2,3,32,40]) { y = MatMul(x, w); return y })"},
    {"BroadcastBatches", R"(graph(x: T[2,3,20,32], w: T[2,1,32,40]) { y = MatMul(x, w); return y })"},
    {"OddSplitsOfBatches", R"(graph(x: T[2,20,2100], w: T[2,2100,35]) { y = MatMul(x, w); return y })"},
    {"WeightsAlongDepth", R"(graph(x: T[40,48], w: param T[56,48], b: param T[56]) { y = Gemm(x, w, b, transB=1); return y })"},
    {"LeftTurned", R"(graph(x: T[48,40], w: param T[48,32]) { y = Gemm(x, w, transA=1); return y })"},
    {"BothTurned", R"(graph(x: T[48,40], w: param T[24,48]) { y = Gemm(x, w, transA=1, transB=1); return y })"},
    {"ResidualAndGelu", R"(graph(x: T[40,64], w: param T[64,48], b: param T[48], e: T[40,48]) { m = MatMul(x, w); s = Add(m, b);
       g = Gelu(s, approximate="tanh"); y = Add(g, e); return y })"},
    {"TwoResults", R"(graph(x: T[24,32], w: param T[32,40]) { m = MatMul(x, w); y = Sigmoid(m); z = Mul(m, y); return y, z })"},
    {"ComputedLeft", R"(graph(x: T[24,32], s: T[32], w: param T[32,40]) { a = Mul(x, s); y = MatMul(a, w); return y })"},
    {"ComputedRight", R"(graph(x: T[24,32], w: T[32,40], s: T[40]) { b = Mul(w, s); y = MatMul(x, b); return y })"},
    {"ComputedRightAlongDepth",
     R"(graph(x: T[24,48], w: T[40,48], s: T[48]) { b = Mul(w, s); y = Gemm(x, b, transB=1); return y })"},
    {"WeightsOfBytes", R"(graph(x: f16[40,72], w: param i8[72,88], s: param f16[88]) { f = Cast(w, to="f16"); d = Mul(f, s);
       y = MatMul(x, d); return y })"},
    {"Image", R"(graph(x: T[2,6,9,11], w: param T[16,6,3,3], b: param T[16]) { c = Conv(x, w, b, pads=[1,1,1,1]); y = Relu(c);
       return y })"},
    {"StridesAndDilations", R"(graph(x: T[1,8,13,12], w: param T[24,8,3,2]) {
       y = Conv(x, w, strides=[2,1], dilations=[1,2], pads=[1,0,1,1]); return y })"},
    {"Pointwise", R"(graph(x: T[2,16,8,8], w: param T[24,16,1,1], e: T[2,24,8,8]) { c = Conv(x, w); y = Add(c, e); return y })"},
    {"PointwiseOddImage", R"(graph(x: T[1,16,7,7], w: param T[16,16,1,1]) { y = Conv(x, w); return y })"},
    {"Groups", R"(graph(x: T[1,32,6,6], w: param T[32,16,3,3]) { y = Conv(x, w, group=2, pads=[1,1,1,1]); return y })"},
    {"Volume", R"(graph(x: T[1,8,5,6,7], w: param T[16,8,3,3,2]) {
       y = Conv(x, w, strides=[2,1,1], pads=[1,1,1,1,1,0]); return y })"},
    {"SignedBytes",
     R"(graph(x: i8[40,48], w: i8[48,40]) { a = Cast(x, to="i32"); b = Cast(w, to="i32"); y = MatMul(a, b); return y })"},
    {"BytesWithZeroPoints", R"(graph(x: u8[33,50], w: u8[50,40], z: u8[1], v: u8[40], q: param f32[40]) {
       a = Cast(x, to="i32"); zi = Cast(z, to="i32"); c = Sub(a, zi); b = Cast(w, to="i32"); vi = Cast(v, to="i32"); d = Sub(b, vi);
       m = MatMul(c, d); f = Cast(m, to="f32"); s = Mul(f, q); y = Relu(s); return y })"},
    {"BytesInWholeParts", R"(graph(x: u8[40,72], w: i8[72,112], z: u8[1], v: i8[112], q: param f32[112]) {
       a = Cast(x, to="i32"); zi = Cast(z, to="i32"); c = Sub(a, zi); b = Cast(w, to="i32"); vi = Cast(v, to="i32"); d = Sub(b, vi);
       m = MatMul(c, d); f = Cast(m, to="f32"); s = Mul(f, q); y = Relu(s); return y })"},
    {"Gated", R"(graph(x: T[24,72], w: param T[72,88], u: param T[72,88]) { g = MatMul(x, w); s = Sigmoid(g); t = Mul(g, s);
       p = MatMul(x, u); y = Mul(t, p); return y })"},
    {"GatedAlongDepth", R"(graph(x: T[40,48], w: param T[56,48], u: param T[56,48], b: param T[56], e: T[40,56]) {
       p = Gemm(x, u, transB=1); m = Gemm(x, w, b, transB=1); g = Gelu(m); t = Mul(p, g); y = Add(t, e); return y })"},
    {"GatedOddColumns", R"(graph(x: T[2,20,37], w: param T[37,35], u: param T[37,35]) { g = MatMul(x, w); p = MatMul(x, u);
       t = Tanh(g); y = Sub(t, p); return y })"},
    {"NormedRows", R"(graph(x: bf16[40,72], n: param bf16[72], w: param bf16[72,88], e: bf16[40,88]) { h = RMSNormalization(x, n);
       m = MatMul(h, w); y = Add(m, e); return y })"},
    {"NormedAndGated", R"(graph(x: bf16[60,100], n: param bf16[100], w: param bf16[56,100], u: param bf16[56,100]) {
       h = RMSNormalization(x, n, epsilon=0.01); g = Gemm(h, w, transB=1); p = Gemm(h, u, transB=1); s = Sigmoid(g); t = Mul(g, s);
       y = Mul(t, p); return y })"},
    {"NormedOddRows", R"(graph(x: bf16[2,9,37], n: param bf16[37], w: param bf16[37,24]) { h = RMSNormalization(x, n);
       m = MatMul(h, w); y = Tanh(m); return y })"},
    {"Line", R"(graph(x: T[2,8,40], w: param T[16,8,5]) { y = Conv(x, w, pads=[2,2]); return y })"},
};

constexpr Product kChannelsLast[] = {
    {"WholeParts",
     R"(graph(x: T[2,16,9,11], w: param T[16,16,3,3], b: param T[16]) { c = Conv(x, w, b, pads=[1,1,1,1]); y = Relu(c);
       return y })"},
    {"FewChannels", R"(graph(x: T[1,3,16,8], w: param T[24,3,5,5]) { y = Conv(x, w, strides=[2,2], pads=[2,2,2,2]); return y })"},
    {"StridesAndDilations", R"(graph(x: T[1,12,13,12], w: param T[24,12,3,2], e: T[1,24,7,12]) {
       c = Conv(x, w, strides=[2,1], dilations=[1,2], pads=[1,0,1,2]); y = Add(c, e); return y })"},
    {"MoreThanATurn", R"(graph(x: T[2,72,8,10], w: param T[16,72,2,2]) { y = Conv(x, w); return y })"},
    {"PointwiseOddImage", R"(graph(x: T[2,16,7,7], w: param T[16,16,1,1]) { y = Conv(x, w); return y })"},
    {"PointwiseOddChannels", R"(graph(x: T[1,18,7,7], w: param T[40,18,1,1]) { y = Conv(x, w, strides=[2,2]); return y })"},
    {"Groups", R"(graph(x: T[2,20,6,6], w: param T[32,10,3,3]) { y = Conv(x, w, group=2, pads=[1,1,1,1]); return y })"},
    {"Volume", R"(graph(x: T[2,8,5,6,7], w: param T[16,8,3,3,2]) {
       y = Conv(x, w, strides=[2,1,1], pads=[1,1,1,1,1,0]); return y })"},
    {"Line", R"(graph(x: T[2,24,40], w: param T[16,24,5]) { y = Conv(x, w, pads=[2,2]); return y })"},
    {"ComputedImage", R"(graph(x: T[1,8,10,9], s: T[8,1,1], w: param T[16,8,3,3]) { a = Mul(x, s);
       y = Conv(a, w, pads=[1,1,1,1]); return y })"},
};

constexpr Product kWindows[] = {
    {"Depthwise", R"(graph(x: T[2,9,12,16], w: param T[9,1,3,3], b: param T[9]) { c = Conv(x, w, b, group=9, pads=[1,1,1,1]);
       y = Relu(c); return y })"},
    {"OddImage", R"(graph(x: T[1,10,7,13], w: param T[10,1,5,5]) {
       y = Conv(x, w, group=10, strides=[2,2], pads=[2,2,2,2]); return y })"},
    {"TwoOfAChannel", R"(graph(x: T[1,5,9,8], w: param T[10,1,3,3], e: T[1,10,9,8]) {
       c = Conv(x, w, group=5, pads=[1,1,1,1]); y = Add(c, e); return y })"},
    {"LargeWindow", R"(graph(x: T[1,6,14,14], w: param T[6,1,7,7]) { y = Conv(x, w, group=6, pads=[3,3,3,3]); return y })"},
    {"ChannelsOfAGroup", R"(graph(x: T[2,12,6,10], w: param T[8,6,3,2]) {
       y = Conv(x, w, group=2, dilations=[1,2], pads=[1,2,1,0]); return y })"},
    {"FewResults", R"(graph(x: T[1,20,8,8], w: param T[3,20,4,4]) { c = Conv(x, w, pads=[1,1,2,2]); y = Tanh(c); return y })"},
    {"DepthwiseVolume", R"(graph(x: T[1,6,5,6,8], w: param T[6,1,3,3,3]) {
       y = Conv(x, w, group=6, strides=[2,1,1], pads=[1,1,1,1,1,1]); return y })"},
    {"DepthwiseLine", R"(graph(x: T[2,8,44], w: param T[8,1,4]) { y = Conv(x, w, group=8, pads=[3,0]); return y })"},
};

constexpr Product kFewRows[] = {
    {"OneRow", R"(graph(x: T[1,272], w: param T[272,96]) { y = MatMul(x, w); return y })"},
    {"Vector", R"(graph(w: param T[56,264], x: T[264]) { m = MatMul(w, x); y = Relu(m); return y })"},
    {"AlongDepth", R"(graph(x: T[5,200], w: param T[40,200], b: param T[40]) { y = Gemm(x, w, b, transB=1); return y })"},
    {"TwoGroups", R"(graph(x: T[13,600], w: param T[600,72], e: T[13,72]) { m = MatMul(x, w); y = Add(m, e); return y })"},
    {"BatchesOfRows", R"(graph(x: T[2,3,40], w: T[2,40,64]) { y = MatMul(x, w); return y })"},
    {"WeightsOfBytes", R"(graph(x: bf16[4,280], w: param i8[280,96], s: param bf16[96]) { f = Cast(w, to="bf16"); d = Mul(f, s);
       y = MatMul(x, d); return y })"},
    {"ComputedRows", R"(graph(x: T[4,72], s: T[72], w: param T[72,80]) { a = Mul(x, s); y = MatMul(a, w); return y })"},
};

// Few rows of bytes: zero points of either side, or none.
constexpr Product kFewRowsOfBytes[] = {
    {"SignedBytes",
     R"(graph(x: i8[5,200], w: i8[200,112]) { a = Cast(x, to="i32"); b = Cast(w, to="i32"); y = MatMul(a, b); return y })"},
    {"BytesWithZeroPoints", R"(graph(x: u8[13,330], w: u8[330,80], z: u8[1], v: u8[80], q: param f32[80]) {
       a = Cast(x, to="i32"); zi = Cast(z, to="i32"); c = Sub(a, zi); b = Cast(w, to="i32"); vi = Cast(v, to="i32"); d = Sub(b, vi);
       m = MatMul(c, d); f = Cast(m, to="f32"); s = Mul(f, q); y = Relu(s); return y })"},
    {"UnsignedBySigned", R"(graph(x: u8[1,96], w: i8[96,64], z: u8[1]) { a = Cast(x, to="i32"); zi = Cast(z, to="i32");
       c = Sub(a, zi); b = Cast(w, to="i32"); y = MatMul(c, b); return y })"},
};

constexpr DType kTypes[] = {DType::kBF16, DType::kF16, DType::kF32};
constexpr std::size_t kConfigurations = 5;  // per graph: the default and others
constexpr std::size_t kSampled = 1;         // per product and type

struct Case {
  Graph graph;
  LaunchConfig config;
};

std::string typed(std::string text, DType type) {
  for (std::size_t at = text.find(" T["); at != std::string::npos; at = text.find(" T[", at))
    text.replace(at + 1, 1, name_of(type));
  return text;
}

bool lays_out(const LaunchConfig& config) {
  return config.integer("layout", 0) == 1;
}

std::vector<Case> cases_of(const Product& product, DType type, bool laid_out, SeededRandom& random) {
  std::vector<Case> cases;
  const auto graph = parse_graph(typed(product.graph, type));
  EXPECT_TRUE(graph.ok()) << (graph.ok() ? "" : graph.error().message);
  if (!graph.ok()) return cases;
  const Support support = cuda::CudaGenerator().supports(graph.value(), cuda_target());
  EXPECT_TRUE(support.yes) << support.why_not << ": " << canonical_text(graph.value());
  if (!support.yes) return cases;
  const cuda::CudaGenerator generator;
  auto configs = generator.space(graph.value(), cuda_target()).enumerate(100000);
  std::erase_if(configs, [laid_out](const LaunchConfig& each) { return lays_out(each) != laid_out; });
  EXPECT_GT(configs.size(), kConfigurations);
  for (std::size_t i = 0; i < kConfigurations; ++i) {
    LaunchConfig config = i == 0 ? generator.default_config(graph.value(), cuda_target()) : configs[random.below(configs.size())];
    if (lays_out(config) != laid_out) config.set("layout", std::int64_t{laid_out ? 1 : 0});
    cases.push_back({graph.value(), std::move(config)});
  }
  return cases;
}

// `entry` is what the kernels of the form call.
void expect_matches(const Product& product, const std::string& entry) {
  SeededRandom spread(20261129);
  SeededRandom random(test::sample_seed() + 1);
  std::vector<Case> cases;
  std::size_t all = 0;
  const bool every_type = std::string_view(product.graph).find(" T[") != std::string_view::npos;
  for (const DType type : std::span(kTypes).first(every_type ? std::size(kTypes) : 1)) {
    std::vector<Case> of_type = cases_of(product, type, entry == "fl_lay_out", spread);
    all += of_type.size();
    if (!test::run_everything() && of_type.size() > kSampled) {
      for (std::size_t i = 0; i < kSampled; ++i) std::swap(of_type[i], of_type[i + random.below(of_type.size() - i)]);
      of_type.erase(of_type.begin() + kSampled, of_type.end());
    }
    std::move(of_type.begin(), of_type.end(), std::back_inserter(cases));
  }
  const cuda::CudaGenerator generator;
  std::vector<simt::KernelText> texts;
  std::vector<SourceModule> sources;
  std::vector<std::size_t> first;
  for (const Case& each : cases) {
    auto source = generator.generate(each.graph, each.config, cuda_target());
    ASSERT_TRUE(source.ok()) << source.error().message;
    ASSERT_NE(source.value().text.find(entry + "(fl_arguments{"), std::string::npos) << "written by another family";
    first.push_back(texts.size());
    for (simt::KernelText& text : simt::texts_of(source.value())) texts.push_back(std::move(text));
    sources.push_back(std::move(source.value()));
  }
  const auto object = simt::KernelObject::compile(texts);
  ASSERT_TRUE(object.ok()) << object.error().message;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    for (const InputPattern pattern : {InputPattern::kUniform, InputPattern::kSpecial}) {
      simt::SharedBanks banks;
      EXPECT_EQ(try_on_simt(cases[i].graph, sources[i].abi, *object.value(), first[i], {pattern, 7}, i + 1, nullptr, &banks), "")
          << cuda_repro(cases[i].graph, cases[i].config, cuda_target());
      if (entry == "fl_tiles" || entry == "fl_lay_out") {
        EXPECT_GT(banks.rows.passes + banks.plain.passes, 0);
      }
      // Turning a tile of an image still has conflicts of plain accesses.
      if (entry == "fl_lay_out") banks.plain = {};
      EXPECT_EQ(conflicts_of(banks), "") << cuda_repro(cases[i].graph, cases[i].config, cuda_target());
    }
  }
  std::cout << product.name << ": " << cases.size() << " cases, " << all - cases.size() << " sampled out (seed "
            << test::sample_seed() << ")\n";
  EXPECT_GT(cases.size(), 0U);
}

class CudaTiles : public ::testing::TestWithParam<Product> {};
class CudaChannelsLast : public ::testing::TestWithParam<Product> {};
class CudaWindows : public ::testing::TestWithParam<Product> {};
class CudaFewRows : public ::testing::TestWithParam<Product> {};

TEST_P(CudaTiles, MatchTheReferenceOnTheSimtExecutor) {
  expect_matches(GetParam(), "fl_tiles");
}

TEST_P(CudaChannelsLast, MatchTheReferenceOnTheSimtExecutor) {
  expect_matches(GetParam(), "fl_lay_out");
}

TEST_P(CudaWindows, MatchTheReferenceOnTheSimtExecutor) {
  expect_matches(GetParam(), "fl_windows");
}

TEST_P(CudaFewRows, MatchTheReferenceOnTheSimtExecutor) {
  expect_matches(GetParam(), "fl_few_rows");
}

INSTANTIATE_TEST_SUITE_P(Bytes, CudaFewRows, ::testing::ValuesIn(kFewRowsOfBytes),
                         [](const auto& each) { return std::string(each.param.name); });
INSTANTIATE_TEST_SUITE_P(Products, CudaChannelsLast, ::testing::ValuesIn(kChannelsLast),
                         [](const auto& each) { return std::string(each.param.name); });
INSTANTIATE_TEST_SUITE_P(Products, CudaWindows, ::testing::ValuesIn(kWindows),
                         [](const auto& each) { return std::string(each.param.name); });
INSTANTIATE_TEST_SUITE_P(Products, CudaFewRows, ::testing::ValuesIn(kFewRows),
                         [](const auto& each) { return std::string(each.param.name); });
INSTANTIATE_TEST_SUITE_P(Products, CudaTiles, ::testing::ValuesIn(kProducts),
                         [](const auto& each) { return std::string(each.param.name); });

}  // namespace
}  // namespace fuselab::testing
