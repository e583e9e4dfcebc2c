// SPDX-License-Identifier: Apache-2.0
// The StableHLO text of a handful of graphs. FUSELAB_UPDATE_GOLDENS=1 rewrites the files; a mismatch leaves <file>.actual.
#include <gtest/gtest.h>

#include <filesystem>

#include "backends/xla/stablehlo/stablehlo_text.h"
#include "core/graph/graph_text.h"
#include "tests/support/recorded_text.h"

namespace fuselab::xla {
namespace {

struct RecordedGraph {
  const char* name;
  const char* graph;
  friend void PrintTo(const RecordedGraph& graph, std::ostream* out) { *out << graph.name; }
};

constexpr RecordedGraph kGraphs[] = {
    {"matmul_bias_relu",
     "graph(x: f32[4,8], w: param f32[8,6], b: param f32[6]) { m = MatMul(x, w); s = Add(m, b); y = Relu(s); return y }"},
    {"batched_matmul", "graph(x: f32[2,1,4,8], w: f32[3,8,6]) { y = MatMul(x, w); return y }"},
    {"gemm", "graph(a: f32[8,4], b: f32[6,8], c: f32[6]) { y = Gemm(a, b, c, transA=1, transB=1, alpha=0.5, beta=2.0); return y }"},
    {"gelu_softmax", "graph(x: f32[5,7]) { g = Gelu(x); y = Softmax(g); return y }"},
    {"residual_rmsnorm",
     "graph(x: f32[4,16], e: f32[4,16], w: param f32[16]) { s = Add(x, e); y = RMSNormalization(s, w); return s, y }"},
    {"layernorm", "graph(x: f32[4,16], w: param f32[16], b: param f32[16]) { y = LayerNormalization(x, w, b); return y }"},
    {"attention",
     "graph(q: f32[1,4,5,8], k: f32[1,2,9,8], v: f32[1,2,9,6], m: bool[5,9]) { y = Attention(q, k, v, m, is_causal=1); return y }"},
    {"conv_pool",
     "graph(x: f32[1,4,9,9], w: param f32[6,2,3,3], b: param f32[6]) { c = Conv(x, w, b, group=2, pads=[1,1,1,1]); "
     "y = MaxPool(c, kernel_shape=[3,3], strides=[2,2]); return y }"},
    {"movement",
     "graph(x: f32[4,6], i: i64[3]) { g = Gather(x, i, axis=1); t = Transpose(g); a, b = Split(t, axis=1, num_outputs=2); "
     "c = Concat(b, a, axis=0); y = Slice(c, starts=[1], ends=[-1], axes=[0], steps=[2]); return y }"},
};

class StableHloText : public ::testing::TestWithParam<RecordedGraph> {};

TEST_P(StableHloText, IsAsRecorded) {
  const auto graph = parse_graph(GetParam().graph);
  ASSERT_TRUE(graph.ok()) << graph.error().message;
  const auto text = stablehlo_text(graph.value());
  ASSERT_TRUE(text.ok()) << text.error().message;
  EXPECT_EQ(stablehlo_text(graph.value()).value(), text.value());
  test::expect_as_recorded(std::filesystem::path(GOLDEN_FOLDER) / (std::string(GetParam().name) + ".mlir"), text.value());
}

INSTANTIATE_TEST_SUITE_P(Golden, StableHloText, ::testing::ValuesIn(kGraphs),
                         [](const auto& given) { return std::string(given.param.name); });

TEST(StableHloText, NamesTheOperatorThatItHasNothingFor) {
  const Graph graph =
      parse_graph("graph(x: f32[4,6]) { y = Slice(x, starts=[3], ends=[0], axes=[0], steps=[-1]); return y }").value();
  const auto text = stablehlo_text(graph);
  ASSERT_FALSE(text.ok());
  EXPECT_EQ(text.error().message, "Slice goes backwards: it is not written in StableHLO");
}

}  // namespace
}  // namespace fuselab::xla
