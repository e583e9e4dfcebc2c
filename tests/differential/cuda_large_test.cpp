// SPDX-License-Identifier: Apache-2.0
// What only large graphs bring about, made to happen on the SIMT executor: rows in the shared memory that a launch asks for, and
// indices of 64 bits.
#include <gtest/gtest.h>

#include <iostream>

#include "backends/codegen/emit/dialect.h"
#include "backends/codegen/simt/simt_module.h"
#include "backends/cuda/cuda_generator.h"
#include "core/base/random.h"
#include "core/graph/graph_text.h"
#include "tests/differential/cuda_trial.h"
#include "tests/support/rotation.h"

namespace fuselab::testing {
namespace {

struct LongRows {
  const char* graph;
  std::int64_t keep;  // 2: kept in shared memory, 4: kept there as they were read
};
constexpr LongRows kLongRows[] = {
    {"graph(x: f32[2,13001]) { y = Softmax(x); return y }", 2},
    {"graph(x: f32[2,13001], w: param f32[13001]) { y = RMSNormalization(x, w); return y }", 2},
    {"graph(x: f32[1,57088], w: param f32[57088]) { y = RMSNormalization(x, w); return y }", 2},
    {"graph(x: bf16[1,100000]) { y = Softmax(x); return y }", 4},
    {"graph(x: bf16[1,100000], w: param bf16[100000], b: param bf16[100000]) { y = LayerNormalization(x, w, b); return y }", 4},
};
constexpr std::size_t kOfEachRow = 3;  // of each row

std::string outcome_of(const Graph& graph, const SourceModule& source, std::uint64_t seed) {
  const auto object = simt::KernelObject::compile(simt::texts_of(source));
  if (!object.ok()) return object.error().message;
  return try_on_simt(graph, source.abi, *object.value(), 0, {InputPattern::kUniform, 7}, seed);
}

TEST(CudaLongRows, MatchInTheSharedMemoryThatALaunchAsksFor) {
  const unsigned seed = test::sample_seed();
  SeededRandom random(seed + 1);
  const cuda::CudaGenerator generator;
  std::size_t tried = 0, all = 0;
  const std::size_t sampled = random.below(std::size(kLongRows));
  for (std::size_t i = 0; i < std::size(kLongRows); ++i) {
    const Graph graph = parse_graph(kLongRows[i].graph).value();
    std::vector<LaunchConfig> kept;
    for (const LaunchConfig& config : generator.space(graph, cuda_target()).enumerate(100000)) {
      if (config.text().find("keep=" + std::to_string(kLongRows[i].keep) + ",") != std::string::npos) kept.push_back(config);
    }
    ASSERT_FALSE(kept.empty()) << kLongRows[i].graph;
    all += kOfEachRow;
    if (!test::run_everything() && i != sampled) continue;
    for (std::size_t k = 0; k < (test::run_everything() ? kOfEachRow : 1); ++k, ++tried) {
      const LaunchConfig& config = kept[random.below(kept.size())];
      const auto source = generator.generate(graph, config, cuda_target());
      ASSERT_TRUE(source.ok()) << source.error().message;
      ASSERT_NE(source.value().text.find("  FL_DYNAMIC_SHARED("), std::string::npos) << config.text();
      EXPECT_GT(source.value().abi.shared_bytes.evaluate({}).value(), 48 << 10);
      EXPECT_EQ(outcome_of(graph, source.value(), seed + k), "") << cuda_repro(graph, config, cuda_target());
    }
  }
  std::cout << tried << " kernels, " << all - tried << " sampled out (seed " << seed << ")\n";
}

// Graphs of more than 2^31 elements get wide indices; the text of small ones with the same type of index is tried here.
TEST(CudaWideIndices, MatchTheReference) {
  codegen::Dialect wide = codegen::cuda_dialect();
  wide.narrow_index_type = wide.index_type;
  const cuda::CudaGenerator generator;
  for (const char* const text : {"graph(x: f32[17,64], b: param f32[64]) { s = Add(x, b); y = Gelu(s); return y }",
                                 "graph(x: bf16[9,257], w: param bf16[257]) { y = RMSNormalization(x, w); return y }"}) {
    const Graph graph = parse_graph(text).value();
    const LaunchConfig config = generator.default_config(graph, cuda_target());
    const auto narrow = generator.generate(graph, config, cuda_target());
    const auto source = codegen::simt_module(graph, config, cuda_target(), wide, generator.id(), generator.version());
    ASSERT_TRUE(narrow.ok() && source.ok()) << (source.ok() ? "" : source.error().message);
    EXPECT_NE(narrow.value().text, source.value().text);
    EXPECT_NE(source.value().text.find("  const long long "), std::string::npos);
    EXPECT_EQ(outcome_of(graph, source.value(), 5), "") << text;
  }
}

}  // namespace
}  // namespace fuselab::testing
