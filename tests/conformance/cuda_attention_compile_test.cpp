// SPDX-License-Identifier: Apache-2.0
// Attention on matrix units at the sizes of real models is compiled by NVRTC, where that is present: the default configuration of
// each target spills no register. Other configurations are counted.
#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>

#include "backends/cuda/compiler/nvrtc_compiler.h"
#include "backends/cuda/cuda_generator.h"
#include "backends/cuda/driver/cuda_targets.h"
#include "core/base/random.h"
#include "core/graph/graph_text.h"
#include "tests/support/rotation.h"

namespace fuselab::cuda {
namespace {

struct Shape {
  const char* name;
  const char* graph;
};

constexpr Shape kShapes[] = {
    {"64", "graph(q: bf16[4,16,2048,64], k: bf16[4,16,2048,64], v: bf16[4,16,2048,64]) { y = Attention(q, k, v); return y }"},
    {"80 causal",
     "graph(q: f16[1,32,2048,80], k: f16[1,32,2048,80], v: f16[1,32,2048,80]) { y = Attention(q, k, v, is_causal=1); return y }"},
    {"96", "graph(q: f16[1,32,2048,96], k: f16[1,32,2048,96], v: f16[1,32,2048,96]) { y = Attention(q, k, v); return y }"},
    {"128 causal, shared keys",
     "graph(q: bf16[1,32,4096,128], k: bf16[1,8,4096,128], v: bf16[1,8,4096,128]) { y = Attention(q, k, v, is_causal=1); return y "
     "}"},
    {"128 with a mask",
     "graph(q: bf16[1,32,1000,128], k: bf16[1,8,1000,128], v: bf16[1,8,1000,128], m: bool[1,1,1000,1000]) "
     "{ y = Attention(q, k, v, m); return y }"},
    {"128 with softcap and an added mask",
     "graph(q: f16[1,8,1000,128], k: f16[1,8,1000,128], v: f16[1,8,1000,128], m: f16[1,1,1000,1000]) "
     "{ y = Attention(q, k, v, m, softcap=50.0); return y }"},
    {"192, values of 128",
     "graph(q: bf16[1,16,2048,192], k: bf16[1,16,2048,192], v: bf16[1,16,2048,128]) { y = Attention(q, k, v, is_causal=1); return "
     "y }"},
    {"256", "graph(q: bf16[1,8,2048,256], k: bf16[1,1,2048,256], v: bf16[1,1,2048,256]) { y = Attention(q, k, v); return y }"},
    {"256 causal",
     "graph(q: bf16[1,8,2048,256], k: bf16[1,1,2048,256], v: bf16[1,1,2048,256]) { y = Attention(q, k, v, is_causal=1); return y "
     "}"},
    {"decode 64", "graph(q: f16[8,16,1,64], k: f16[8,16,4096,64], v: f16[8,16,4096,64]) { y = Attention(q, k, v); return y }"},
    {"decode 128, shared keys",
     "graph(q: bf16[1,32,1,128], k: bf16[1,8,8192,128], v: bf16[1,8,8192,128]) { y = Attention(q, k, v); return y }"},
    {"decode 128 with a mask",
     "graph(q: bf16[4,32,1,128], k: bf16[4,8,8192,128], v: bf16[4,8,8192,128], m: bool[4,1,1,8192]) "
     "{ y = Attention(q, k, v, m); return y }"},
    {"f32 64", "graph(q: f32[4,12,1024,64], k: f32[4,12,1024,64], v: f32[4,12,1024,64]) { y = Attention(q, k, v); return y }"},
    {"f32 128 causal",
     "graph(q: f32[1,32,2048,128], k: f32[1,8,2048,128], v: f32[1,8,2048,128]) { y = Attention(q, k, v, is_causal=1); return y }"},
    {"f32 128 with a mask",
     "graph(q: f32[1,8,1000,128], k: f32[1,8,1000,128], v: f32[1,8,1000,128], m: bool[1,1,1000,1000]) "
     "{ y = Attention(q, k, v, m); return y }"},
    {"f32 192", "graph(q: f32[1,8,512,192], k: f32[1,8,512,192], v: f32[1,8,512,192]) { y = Attention(q, k, v); return y }"},
    {"f32 decode 128, shared keys",
     "graph(q: f32[1,32,1,128], k: f32[1,8,8192,128], v: f32[1,8,8192,128]) { y = Attention(q, k, v); return y }"},
    {"decode 192", "graph(q: bf16[1,8,1,192], k: bf16[1,1,2048,192], v: bf16[1,1,2048,192]) { y = Attention(q, k, v); return y }"},
};

constexpr std::size_t kOthers = 4;  // configurations beside the default

std::int64_t number_of(const KernelBinary& binary, const char* key) {
  const auto found = binary.metadata.find(key);
  return found == binary.metadata.end() ? 0 : std::stoll(found->second);
}

// The oldest with such units, the first of Hopper, the newest.
std::vector<const Target*> targets() {
  std::vector<const Target*> chosen;
  for (const Target& target : cuda_targets()) {
    if (target.id == "sm_80" || target.id.starts_with("sm_90") || target.id == "sm_120") chosen.push_back(&target);
  }
  return chosen;
}

TEST(CudaAttentionTexts, DefaultsSpillNothing) {
  NvrtcCompiler compiler;
  if (const Availability usable = compiler.probe(); !usable.usable) {
    GTEST_SKIP() << "SKIPPED: " << usable.reason << "; " << std::size(kShapes) * targets().size() << " cases";
  }
  const CudaGenerator generator;
  SeededRandom random(test::sample_seed() + 1);
  std::size_t others = 0, spilling = 0, refused = 0;
  std::size_t singles = test::sample_seed();
  for (const Shape& shape : kShapes) {
    const Graph graph = parse_graph(shape.graph).value();
    for (const Target* const target : targets()) {
      // Texts of f32 take seconds each: one target of each shape without --full.
      const bool is_single = std::string_view(shape.name).starts_with("f32");
      if (is_single && !test::run_everything() && singles++ % targets().size() != 0) continue;
      const auto configs = generator.space(graph, *target).enumerate(100000);
      ASSERT_FALSE(configs.empty()) << shape.name;
      for (std::size_t i = 0; i <= (test::run_everything() ? kOthers : 0); ++i) {
        const LaunchConfig config = i == 0 ? generator.default_config(graph, *target) : configs[random.below(configs.size())];
        const std::string who = std::string(shape.name) + " for " + target->id + ", " + config.text();
        const auto source = generator.generate(graph, config, *target);
        ASSERT_TRUE(source.ok()) << who << ": " << source.error().message;
        EXPECT_NE(source.value().text.find(", matrix "), std::string::npos) << who;
        const auto binary = compiler.compile(source.value(), *target, OptimizationLevel::kO2, {});
        if (i > 0 && !binary.ok() && binary.error().code == ErrorCode::kUnsupported) {
          std::cout << who << ": " << binary.error().message << "\n";
          ++refused;
          continue;
        }
        ASSERT_TRUE(binary.ok()) << who << ": " << (binary.ok() ? "" : binary.error().message);
        const std::int64_t spills = number_of(binary.value(), "resource.spill_bytes");
        if (i == 0) {
          EXPECT_EQ(spills, 0) << who;
          std::cout << who << ": " << number_of(binary.value(), "resource.registers") << " registers, "
                    << source.value().abi.shared_bytes.evaluate({}).value() << " bytes of shared memory\n";
        } else {
          ++others;
          spilling += spills > 0 ? 1 : 0;
        }
        if (i > 0 && spills > 0) std::cout << who << ": spills " << spills << " bytes\n";
      }
    }
  }
  std::cout << others << " other configurations, " << spilling << " of them spill, " << refused << " refused (seed "
            << test::sample_seed() << ")\n";
}

}  // namespace
}  // namespace fuselab::cuda
