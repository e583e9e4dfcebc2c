// SPDX-License-Identifier: Apache-2.0
// Generated CUDA kernels on the SIMT executor, against the float64 reference: operator chains × element types × odd shapes ×
// configurations. Without --full a sample that rotates with the seed.
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

struct Chain {
  const char* name;
  const char* graph;  // r and c are symbols, T every type of kTypes
  friend void PrintTo(const Chain& chain, std::ostream* out) { *out << chain.name; }
};

constexpr Chain kChains[] = {
    {"BiasGelu", R"(graph(x: T[r,c], b: param T[c]) { s = Add(x, b); y = Gelu(s, approximate="tanh"); return y })"},
    {"GeluWithErf", R"(graph(x: T[r,c]) { y = Gelu(x); return y })"},
    {"SwiGlu", R"(graph(g: T[r,c], u: T[r,c]) { s = Swish(g); y = Mul(s, u); return y })"},
    {"ResidualAdd", R"(graph(x: T[r,c], e: T[r,c]) { y = Add(x, e); return y })"},
    {"ResidualRmsNorm", R"(graph(x: T[r,c], e: T[r,c], w: param T[c]) { s = Add(x, e); y = RMSNormalization(s, w); return s, y })"},
    {"RmsNorm", R"(graph(x: T[r,c], w: param T[c]) { y = RMSNormalization(x, w); return y })"},
    {"LayerNorm", R"(graph(x: T[r,c], w: param T[c], b: param T[c]) { y = LayerNormalization(x, w, b); return y })"},
    {"Softmax", R"(graph(x: T[r,c]) { y = Softmax(x); return y })"},
    {"MaskedSoftmax",
     R"(graph(m: bool[r,c], x: T[r,c]) { f = Cast(m, to="T"); l = Log(f); s = Add(x, l); y = Softmax(s); return y })"},
    {"LogSoftmax", R"(graph(x: T[r,c]) { y = LogSoftmax(x); return y })"},
    {"CrossEntropy", R"(graph(x: T[r,c], l: i64[r]) { y = SoftmaxCrossEntropyLoss(x, l, reduction="none"); return y })"},
    {"MeanAndVariance",
     R"(graph(x: T[r,c]) { m = ReduceMean(x, axes=[-1]); d = Sub(x, m); q = Mul(d, d); v = ReduceMean(q, axes=[-1]); return m, v })"},
    {"FullMaximum", R"(graph(x: T[r,c]) { y = ReduceMax(x, keepdims=0); return y })"},
    {"FullMean", R"(graph(x: T[r,c]) { a = Abs(x); m = ReduceMean(a, keepdims=0); y = Sqrt(m); return y })"},
    {"RowsWithoutKeepdims", R"(graph(x: T[r,c], b: T[r]) { s = ReduceSum(x, axes=[-1], keepdims=0); y = Add(s, b); return y })"},
    {"ColumnBroadcast", R"(graph(x: T[r,c], k: T[r,1]) { d = Div(x, k); y = Sigmoid(d); return y })"},
    {"Unaries", R"(graph(x: T[r,c]) { a = Abs(x); s = Sqrt(a); t = Tanh(s); e = Erf(t); n = Neg(e); y = Exp(n); return y })"},
    {"ClipAndLeaky",
     R"(graph(x: T[r,c], z: T[r,c]) { a = LeakyRelu(x, alpha=0.1); b = Clip(z, min=-0.5, max=0.5); y = Max(a, b); return y })"},
    {"WhereOfAMask", R"(graph(m: bool[r,c], x: T[r,c], z: T[c]) { w = Where(m, x, z); y = Min(w, z); return y })"},
    {"AdamStep",
     R"(graph(p: T[r,c], g: T[r,c], m: T[r,c], v: T[r,c]) { b = Constant(value=0.9, dtype="T"); a = Constant(value=0.1, dtype="T");
        e = Constant(value=0.001, dtype="T"); h = Mul(m, b); i = Mul(g, a); n = Add(h, i); q = Mul(g, g); z = Abs(v); j = Mul(z, b); k = Mul(q, a);
        w = Add(j, k); s = Sqrt(w); d = Add(s, e); u = Div(n, d); t = Mul(u, e); y = Sub(p, t); return n, w, y })"},
    {"FlatExp", R"(graph(x: T[c]) { y = Exp(x); return y })"},
    {"Widened", R"(graph(x: f32[r,c], z: f64[r,c]) { d = Cast(x, to="f64"); y = Add(d, z); return y })"},
    {"Narrowed", R"(graph(x: f64[r,c]) { e = Exp(x); y = Cast(e, to="f32"); return y })"},
    {"HalfAndFloat", R"(graph(x: f16[r,c], z: f32[c]) { d = Cast(x, to="f32"); y = Mul(d, z); return y })"},
    {"FromIntegers", R"(graph(x: i32[r,c], z: i8[r,c]) { a = Cast(x, to="f32"); b = Cast(z, to="f32"); y = Add(a, b); return y })"},
    {"RotateHalf",
     R"(graph(q: T[r,c,24], cos: T[c,24], sin: T[c,24]) { l = Slice(q, starts=[0], ends=[12], axes=[-1]);
        h = Slice(q, starts=[12], ends=[24], axes=[-1]); n = Neg(h); t = Concat(n, l, axis=-1); a = Mul(q, cos); b = Mul(t, sin);
        y = Add(a, b); return y })"},
    {"RotaryEmbedding", R"(graph(x: T[r,2,c,18], k: T[r,c,8], s: T[r,c,8]) {
        y = RotaryEmbedding(x, k, s, rotary_embedding_dim=16); return y })"},
    {"BatchNormRelu",
     R"(graph(x: T[2,6,r,c], s: param T[6], b: param T[6], m: param T[6], v: param T[6]) { n = BatchNormalization(x, s, b, m, v);
        z = Relu(n); return z })"},
    {"GlobalPool", R"(graph(x: T[2,3,r,c]) { y = GlobalAveragePool(x); return y })"},
};

constexpr DType kTypes[] = {DType::kF32, DType::kF16, DType::kBF16, DType::kF64};
constexpr std::int64_t kSizes[][2] = {{1, 1}, {3, 17}, {17, 64}, {5, 257}, {2, 1000}, {65, 3}, {33, 32}, {3, 520}, {2, 4104}};
constexpr std::size_t kConfigurations = 8;  // per graph: the default and others
constexpr std::size_t kSampled = 3;         // per chain and type
constexpr std::size_t kKernelsPerObject = 16;
constexpr std::size_t kLargest = 20000;  // elements of a graph's largest input: rotary chains at the longest shapes are left out

struct Case {
  Graph graph;
  LaunchConfig config;
  SourceModule source;
  InputPattern pattern;  // tried besides uniform inputs
};

std::string typed(std::string text, DType type) {
  for (const std::string_view place : {" T[", "\"T\""}) {
    for (std::size_t at = text.find(place); at != std::string::npos; at = text.find(place, at))
      text.replace(at + 1, 1, name_of(type));
  }
  return text;
}

std::vector<Graph> graphs_of(const Chain& chain, DType type) {
  const auto symbolic = parse_graph(typed(chain.graph, type));
  EXPECT_TRUE(symbolic.ok()) << (symbolic.ok() ? "" : symbolic.error().message);
  std::vector<Graph> graphs;
  if (!symbolic.ok()) return graphs;
  for (const auto& size : kSizes) {
    Bindings bindings;
    for (const std::string& symbol : symbolic.value().symbols()) bindings[symbol] = symbol == "r" ? size[0] : size[1];
    auto graph = fuselab::bind(symbolic.value(), bindings);
    EXPECT_TRUE(graph.ok()) << (graph.ok() ? "" : graph.error().message);
    if (!graph.ok()) continue;
    const auto bytes = size_of(graph.value().type(graph.value().inputs().front()));
    if (static_cast<std::size_t>(bytes.value().count * 8 / bits_of(type)) <= kLargest) graphs.push_back(std::move(graph.value()));
  }
  return graphs;
}

// The types in T's place; a chain without T is tried once.
std::span<const DType> types_of(const Chain& chain) {
  const bool every = std::string_view(chain.graph).find(" T[") != std::string_view::npos;
  return std::span(kTypes).first(every ? std::size(kTypes) : 1);
}

// Which (graph, configuration) of a chain in one type: the same ones every day; a sample picks among them.
std::vector<Case> cases_of(const Chain& chain, DType type, SeededRandom& random) {
  cuda::CudaGenerator generator;
  std::vector<Case> cases;
  for (Graph& graph : graphs_of(chain, type)) {
    const Support support = generator.supports(graph, cuda_target());
    EXPECT_TRUE(support.yes) << support.why_not << ": " << canonical_text(graph);
    if (!support.yes) continue;
    const auto configs = generator.space(graph, cuda_target()).enumerate(100000);
    for (std::size_t i = 0; i < kConfigurations; ++i) {
      const LaunchConfig config = i == 0 ? generator.default_config(graph, cuda_target()) : configs[random.below(configs.size())];
      constexpr InputPattern kOthers[] = {InputPattern::kLarge, InputPattern::kSpecial, InputPattern::kDenormal};
      cases.push_back({graph, config, {}, kOthers[i % std::size(kOthers)]});
    }
  }
  return cases;
}

void take_sample(std::vector<Case>& cases, SeededRandom& random) {
  for (std::size_t i = 0; i < std::min(kSampled, cases.size()); ++i) std::swap(cases[i], cases[i + random.below(cases.size() - i)]);
  if (cases.size() > kSampled) cases.erase(cases.begin() + static_cast<std::ptrdiff_t>(kSampled), cases.end());
}

void run_cases(std::span<Case> cases, std::uint64_t seed) {
  cuda::CudaGenerator generator;
  std::vector<simt::KernelText> texts;
  std::vector<std::size_t> first;  // of each case
  for (Case& each : cases) {
    auto source = generator.generate(each.graph, each.config, cuda_target());
    ASSERT_TRUE(source.ok()) << source.error().message << "\n" << cuda_repro(each.graph, each.config, cuda_target());
    each.source = std::move(source.value());
    first.push_back(texts.size());
    for (simt::KernelText& text : simt::texts_of(each.source)) texts.push_back(std::move(text));
  }
  const auto object = simt::KernelObject::compile(texts);
  ASSERT_TRUE(object.ok()) << object.error().message;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const Case& each = cases[i];
    for (const InputPattern pattern : {InputPattern::kUniform, each.pattern}) {
      EXPECT_EQ(try_on_simt(each.graph, each.source.abi, *object.value(), first[i], {pattern, 7}, seed + i), "")
          << cuda_repro(each.graph, each.config, cuda_target());
    }
  }
}

class CudaKernels : public ::testing::TestWithParam<Chain> {};

TEST_P(CudaKernels, MatchTheReferenceOnTheSimtExecutor) {
  const unsigned seed = test::sample_seed();
  SeededRandom spread(20261121);
  SeededRandom random(seed + 1);
  std::vector<Case> cases;
  std::size_t all = 0;
  for (const DType type : types_of(GetParam())) {
    std::vector<Case> typed_cases = cases_of(GetParam(), type, spread);
    all += typed_cases.size();
    if (!test::run_everything()) take_sample(typed_cases, random);
    std::move(typed_cases.begin(), typed_cases.end(), std::back_inserter(cases));
  }
  for (std::size_t first = 0; first < cases.size(); first += kKernelsPerObject) {
    run_cases(std::span(cases).subspan(first, std::min(kKernelsPerObject, cases.size() - first)), seed);
  }
  std::cout << GetParam().name << ": " << cases.size() << " cases, each with two kinds of input; " << all - cases.size()
            << " sampled out (seed " << seed << ")\n";
  EXPECT_GT(cases.size(), 0U);
}

INSTANTIATE_TEST_SUITE_P(Chains, CudaKernels, ::testing::ValuesIn(kChains),
                         [](const auto& each) { return std::string(each.param.name); });

// Labels and positions out of range: the executor sees each access outside of a tensor.
TEST(CudaIndices, ReadNothingForeignWhereAnIndexIsOutOfRange) {
  struct Indexed {
    const char* graph;
    std::size_t input;
    double entries;
  };
  constexpr Indexed kIndexed[] = {
      {"graph(x: f32[7,65], l: i64[7]) { y = SoftmaxCrossEntropyLoss(x, l, reduction=\"none\"); return y }", 1, 65},
      {"graph(x: f32[1,2,7,16], c: f32[9,8], s: f32[9,8], i: i64[1,7]) { y = RotaryEmbedding(x, c, s, i); return y }", 3, 9}};
  const cuda::CudaGenerator generator;
  for (const Indexed& indexed : kIndexed) {
    const Graph graph = parse_graph(indexed.graph).value();
    const auto source = generator.generate(graph, generator.default_config(graph, cuda_target()), cuda_target());
    ASSERT_TRUE(source.ok()) << source.error().message;
    const auto object = simt::KernelObject::compile(simt::texts_of(source.value()));
    ASSERT_TRUE(object.ok()) << object.error().message;
    for (const double given : {indexed.entries, -1.0, 0x1p32, -0x1p62}) {
      const WrongNumber wrong{indexed.input, given, given < 0 ? 0 : indexed.entries - 1};
      EXPECT_EQ(try_on_simt(graph, source.value().abi, *object.value(), 0, InputSpec(), 1, &wrong), "") << indexed.graph << given;
    }
  }
}

}  // namespace
}  // namespace fuselab::testing
