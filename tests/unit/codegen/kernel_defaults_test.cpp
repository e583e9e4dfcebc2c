// SPDX-License-Identifier: Apache-2.0
// Launch configurations before any tuning, as they follow from shape, registers and caches.
#include <gtest/gtest.h>

#include "backends/cpu/cpu_backend.h"
#include "core/fusion/partition/fusion_engine.h"
#include "core/graph/graph_text.h"

namespace fuselab {
namespace {

Target avx512() {
  return {"x86-64-v4", "x86-64", {{"vector_bytes", 64}, {"cores", 2}, {"l1_bytes", 32 << 10}, {"l2_bytes", 1 << 20}}};
}

LaunchConfig default_of(const std::string& graph) {
  const auto backend = make_cpu_backend();
  const Graph parsed = parse_graph(graph).value();
  const LaunchConfig config = backend->generator()->default_config(parsed, avx512());
  EXPECT_TRUE(backend->generator()->space(parsed, avx512()).check(config).ok()) << config.text();
  return config;
}

TEST(KernelDefaults, LayConstantOperandsOutAhead) {
  EXPECT_EQ(default_of("graph(x: f32[128,96], w: param f32[96,96]) { y = MatMul(x, w); return y }").integer("pack", -1), 2);
  EXPECT_EQ(default_of("graph(x: f32[128,96], w: f32[96,96]) { y = MatMul(x, w); return y }").integer("pack", -1), 1)
      << "what another kernel makes is copied inside the figure";
  const std::string image = "graph(x: f32[1,64,14,14], w: ";
  const std::string conv = "f32[64,64,3,3]) { y = Conv(x, w, pads=[1,1,1,1]); return y }";
  EXPECT_EQ(default_of(image + "param " + conv).integer("channels_in_lanes", -1), 1);
  EXPECT_EQ(default_of(image + conv).integer("channels_in_lanes", -1), 0);
}

// Weights that are read once need panels that hold every row's sums; reading them twice would cost what a second product does.
TEST(KernelDefaults, ReadConstantWeightsOnceForAFewRows) {
  for (int rows = 2; rows < 8; ++rows) {
    const LaunchConfig few =
        default_of("graph(x: f32[" + std::to_string(rows) + ",512], w: param f32[512,1024]) { y = MatMul(x, w); return y }");
    EXPECT_EQ(few.integer("pack", -1), 2) << few.text();
    EXPECT_EQ(few.integer("tile_m", -1), rows) << few.text();
  }
  const LaunchConfig one = default_of("graph(x: f32[1,512], w: param f32[512,1024]) { y = MatMul(x, w); return y }");
  EXPECT_GT(one.integer("depth_step", -1), 1) << "one row reads the weights as they lie";
  const LaunchConfig halves = default_of("graph(x: bf16[4,512], w: param bf16[512,1024]) { y = MatMul(x, w); return y }");
  EXPECT_GT(halves.integer("depth_step", -1), 1) << "laid out ahead they would be twice as wide";
}

// From here on one kernel beats its parts, so that a model's default must be one.
TEST(KernelDefaults, WriteFusedAttentionFromSixtyFourRowsOn) {
  const auto backend = make_cpu_backend();
  for (const char* const length : {"64", "65", "100", "128", "256", "512", "1024"}) {
    const std::string shape = std::string("f32[1,4,") + length + ",64]";
    const std::string head = "graph(q: " + shape + ", k: " + shape + ", v: " + shape + ") { ";
    for (const std::string& text :
         {head + "y = Attention(q, k, v); return y }", head + "y = Attention(q, k, v, is_causal=1); return y }",
          head + "c = Constant(value=0.125); t = Transpose(k, perm=[0,1,3,2]); s = MatMul(q, t); u = Mul(s, c); p = Softmax(u); "
                 "y = MatMul(p, v); return y }"}) {
      const auto pieces = fuse(parse_graph(text).value(), {});
      ASSERT_TRUE(pieces.ok()) << pieces.error().message;
      ASSERT_EQ(pieces.value().operations.size(), 1U) << text;
      const Graph& piece = pieces.value().operations.front().graph;
      ASSERT_TRUE(backend->generator()->supports(piece, avx512()).yes) << text;
      const LaunchConfig config = backend->generator()->default_config(piece, avx512());
      EXPECT_TRUE(backend->generator()->space(piece, avx512()).check(config).ok()) << config.text();
      const auto source = backend->generator()->generate(piece, config, avx512());
      ASSERT_TRUE(source.ok()) << source.error().message;
      EXPECT_EQ(source.value().abi.grid_x.evaluate({}).value() % 2, 0) << "every thread has work: " << config.text();
    }
  }
}

TEST(KernelDefaults, TakePixelsWhereChannelsWouldLeaveLanesEmpty) {
  const LaunchConfig one = default_of("graph(x: f32[1,48,80,80], w: param f32[1,48,3,3]) { y = Conv(x, w); return y }");
  EXPECT_EQ(one.integer("channels_in_lanes", -1), 0);
  const LaunchConfig depthwise =
      default_of("graph(x: f32[1,32,56,56], w: param f32[32,1,3,3]) { y = Conv(x, w, group=32, pads=[1,1,1,1]); return y }");
  EXPECT_EQ(depthwise.integer("channels_in_lanes", -1), 0);
}

// Rows a multiple of 4096 bytes apart fall into one set of the first cache; a tile must not read more of them than it has ways.
TEST(KernelDefaults, ReadNoMoreRowsThanASetOfTheFirstCacheHas) {
  const auto backend = make_cpu_backend();
  const auto tiles = [&](const char* graph) {
    std::int64_t most = 0;
    for (const LaunchConfig& config : backend->generator()->space(parse_graph(graph).value(), avx512()).enumerate(100000)) {
      most = std::max(most, config.integer("tile_m", 0));
    }
    return most;
  };
  EXPECT_EQ(tiles("graph(x: f32[128,1024], w: param f32[1024,96]) { y = MatMul(x, w); return y }"), 8);
  EXPECT_EQ(tiles("graph(x: f32[128,1000], w: param f32[1000,96]) { y = MatMul(x, w); return y }"), 12);
}

TEST(KernelDefaults, GiveEveryThreadATask) {
  for (const char* const graph :
       {"graph(x: f32[1,512,7,7], w: param f32[512,512,3,3]) { y = Conv(x, w, pads=[1,1,1,1]); return y }",
        "graph(x: f32[1,64,56,56], w: param f32[64,64,3,3]) { y = Conv(x, w, pads=[1,1,1,1]); return y }",
        "graph(x: f32[1,2048], w: param f32[2048,5632]) { y = MatMul(x, w); return y }",
        "graph(q: f32[1,1,256,64], k: f32[1,1,256,64], v: f32[1,1,256,64]) { y = Attention(q, k, v); return y }"}) {
    const auto backend = make_cpu_backend();
    const auto source = backend->generator()->generate(parse_graph(graph).value(), default_of(graph), avx512());
    ASSERT_TRUE(source.ok()) << source.error().message;
    EXPECT_EQ(source.value().abi.grid_x.evaluate({}).value() % 2, 0) << graph;
  }
}

}  // namespace
}  // namespace fuselab
