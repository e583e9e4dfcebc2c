// SPDX-License-Identifier: Apache-2.0
// Twelve ways a generator goes wrong, put into generated text one at a time: each must be caught, the text as generated
// must pass.
#include <gtest/gtest.h>

#include "backends/cpu/cpu_backend.h"
#include "core/graph/graph_text.h"
#include "tests/differential/kernel_trial.h"

namespace fuselab::testing {
namespace {

struct Defect {
  const char* name;
  const char* graph;
  const char* config;
  const char* from;  // every occurrence is replaced
  const char* to;
  InputPattern pattern = InputPattern::kUniform;
};

constexpr const char* kElementConfig = "grain=4096,nontemporal=0,threads=1,unroll=1,vector=4";
constexpr const char* kRowConfig = "nontemporal=0,rows_per_task=1,stage=0,threads=1,unroll=1,vector=4";
constexpr const char* kStageConfig = "nontemporal=0,rows_per_task=1,stage=1,threads=1,unroll=1,vector=4";
constexpr const char* kTileConfig = "loop_order=0,pack=1,rows_per_task=8,threads=1,tile_m=2,tile_n=1,vector=4";

constexpr const char* kSoftmax = "graph(x: f32[17,65]) { y = Softmax(x); return y }";
constexpr const char* kResidualNorm =
    "graph(x: f32[17,64], e: f32[17,64], w: param f32[64]) { s = Add(x, e); y = RMSNormalization(s, w); return s, y }";
constexpr const char* kBiasGelu = "graph(x: f32[17,64], b: param f32[64]) { s = Add(x, b); y = Gelu(s); return y }";

constexpr Defect kDefects[] = {
    {"LastColumnDropped", kSoftmax, kRowConfig, "col < 65", "col < 64"},
    {"WrongEpsilon", kResidualNorm, kRowConfig, "+ 1e-05f", "+ 1e-02f"},
    {"StaleScratch", kResidualNorm, kStageConfig, "store_f32x4(stage + col, s);", ""},
    {"AccumulatorNotReset", kSoftmax, kRowConfig, "    f32x4 row_sum_acc[1];\n",
     "    static f32x4 row_sum_acc[1];\n    static f32x4 kept;\n    kept = row_sum_acc[0];\n    #define splat_f32x4(zero) kept\n"},
    {"MissingTail", "graph(x: f32[1003]) { y = Exp(x); return y }", kElementConfig, "col < 1003; ++col", "col < 0; ++col"},
    {"WindowOffByOne", "graph(x: f32[1,4,9,9], w: param f32[8,4,3,3]) { y = Conv(x, w, pads=[1,1,1,1]); return y }", kTileConfig,
     "col % 9 - 1 + kx", "col % 9 + kx"},
    {"WrongBroadcastStride", kBiasGelu, kElementConfig, "load_f32x4(b + col)", "load_f32x4(b + (col + row) % 61)"},
    {"SwappedOperands", "graph(x: f32[17,64], z: f32[17,64]) { d = Sub(x, z); q = Div(d, z); return d }", kElementConfig,
     "x_value - z_value", "z_value - x_value"},
    {"NoMaximumSubtracted", kSoftmax, kRowConfig, "x_value - spread_f32x4(row_max)", "x_value", InputPattern::kLarge},
    {"BiasOfWrongRow", "graph(x: f32[9,17], w: param f32[17,8], b: f32[9,1]) { p = MatMul(x, w); y = Add(p, b); return y }",
     kTileConfig, "load_f32x1(b + row + i)", "load_f32x1(b + row)"},
    {"ActivationTooEarly", "graph(x: f32[17,64], b: param f32[64]) { s = Add(x, b); y = Relu(s); return y }", kElementConfig,
     "relu_f32x4(s)", "relu_f32x4(x_value) + b_value"},
    {"ReadPastTheEnd", kBiasGelu, kElementConfig, "const f32x4 x_value = load_f32x4(x + row * 64 + col);",
     "const f32x4 x_value = load_f32x4(x + row * 64 + col) + 0.0f * load_f32x4(x + row * 64 + col + 64);"},
    {"TaskSkipped", "graph(x: f32[9000]) { y = Exp(x); return y }", kElementConfig, "task = begin;", "task = begin + 1;"},
    {"WritePastTheEnd", "graph(x: f32[1003]) { y = Exp(x); return y }", kElementConfig, "col < 1003; ++col", "col < 1004; ++col"},
};

std::size_t replace_all(std::string& text, const std::string& from, const std::string& to) {
  std::size_t count = 0;
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()), ++count) {
    text.replace(at, from.size(), to);
  }
  return count;
}

class SeededDefects : public ::testing::TestWithParam<Defect> {};

TEST_P(SeededDefects, AreCaught) {
  const Defect& defect = GetParam();
  const auto backend = make_cpu_backend();
  if (const Availability usable = backend->probe(); !usable.usable) GTEST_SKIP() << usable.reason;
  const DeviceInfo device = backend->enumerate().value().front();
  // The baseline target: the same text on every machine.
  const Target target = device.other_targets.empty() ? device.target : device.other_targets.back();
  const auto graph = parse_graph(defect.graph);
  ASSERT_TRUE(graph.ok()) << graph.error().message;
  const auto config = LaunchConfig::parse(defect.config);
  ASSERT_TRUE(config.ok()) << config.error().message;
  const auto source = backend->generator()->generate(graph.value(), config.value(), target);
  ASSERT_TRUE(source.ok()) << source.error().message;
  const InputSpec spec{defect.pattern, 3};

  const auto whole = compile_text(*backend, source.value(), config.value(), target);
  ASSERT_TRUE(whole.ok()) << whole.error().message;
  const Trial sound = try_kernel(graph.value(), whole.value(), {&spec, 1});
  EXPECT_TRUE(sound.passed) << sound.detail << "\n" << repro(graph.value(), config.value(), target);

  SourceModule broken = source.value();
  ASSERT_GT(replace_all(broken.text, defect.from, defect.to), 0U) << "the generated text no longer has: " << defect.from;
  const auto mutant = compile_text(*backend, broken, config.value(), target);
  ASSERT_TRUE(mutant.ok()) << mutant.error().message;
  const Trial caught = try_kernel(graph.value(), mutant.value(), {&spec, 1});
  EXPECT_FALSE(caught.passed) << "nobody noticed";
  EXPECT_FALSE(caught.detail.empty());
}

INSTANTIATE_TEST_SUITE_P(Generator, SeededDefects, ::testing::ValuesIn(kDefects),
                         [](const auto& each) { return std::string(each.param.name); });

}  // namespace
}  // namespace fuselab::testing
