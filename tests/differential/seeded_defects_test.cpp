// SPDX-License-Identifier: Apache-2.0
// Twelve ways a generator goes wrong, put into generated text one at a time: each must be caught, the text as generated
// must pass.
#include <gtest/gtest.h>

#include "backends/cpu/cpu_backend.h"
#include "tests/differential/kernel_trial.h"
#include "tests/support/seeded_defect.h"

namespace fuselab::testing {
namespace {

constexpr const char* kElementConfig = "grain=4096,nontemporal=0,threads=1,unroll=1,vector=4";
constexpr const char* kRowConfig = "nontemporal=0,rows_per_task=1,stage=0,threads=1,unroll=1,vector=4";
constexpr const char* kStageConfig = "nontemporal=0,rows_per_task=1,stage=1,threads=1,unroll=1,vector=4";
constexpr const char* kTileConfig = "loop_order=0,pack=1,rows_per_task=8,threads=1,tile_m=4,tile_n=1,vector=4";

constexpr const char* kWindowConfig =
    "channel_block=4,channel_parts=1,channels_in_lanes=1,rows_per_task=4,threads=1,tile_m=4,tile_n=1,vector=4";

constexpr const char* kSoftmax = "graph(x: f32[17,65]) { y = Softmax(x); return y }";
constexpr const char* kResidualNorm =
    "graph(x: f32[17,64], e: f32[17,64], w: param f32[64]) { s = Add(x, e); y = RMSNormalization(s, w); return s, y }";
constexpr const char* kBiasGelu = "graph(x: f32[17,64], b: param f32[64]) { s = Add(x, b); y = Gelu(s); return y }";

constexpr test::SeededDefect kDefects[] = {
    {"LastColumnDropped", kSoftmax, kRowConfig, "col < 65", "col < 64"},
    {"WrongEpsilon", kResidualNorm, kRowConfig, "+ 1e-05f", "+ 1e-02f"},
    {"StaleScratch", kResidualNorm, kStageConfig, "store_f32x4(stage + col, s);", ""},
    {"AccumulatorNotReset", kSoftmax, kRowConfig, "    f32x4 row_sum_acc[1];\n",
     "    static f32x4 row_sum_acc[1];\n    static f32x4 kept;\n    kept = row_sum_acc[0];\n    #define splat_f32x4(zero) kept\n"},
    {"MissingTail", "graph(x: f32[1003]) { y = Exp(x); return y }", kElementConfig, "col < 1003; ++col", "col < 0; ++col"},
    {"WindowOffByOne", "graph(x: f32[1,4,9,9], w: param f32[8,4,3,3]) { y = Conv(x, w, pads=[1,1,1,1]); return y }", kWindowConfig,
     "* 9 - 1;", "* 9;"},
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

class SeededDefects : public ::testing::TestWithParam<test::SeededDefect> {};

TEST_P(SeededDefects, AreCaught) {
  const test::SeededDefect& defect = GetParam();
  const auto backend = make_cpu_backend();
  if (const Availability usable = backend->probe(); !usable.usable) GTEST_SKIP() << usable.reason;
  const DeviceInfo device = backend->enumerate().value().front();
  // The baseline target: the same text on every machine.
  const Target target = device.other_targets.empty() ? device.target : device.other_targets.back();
  const auto seeded = test::seed(defect, *backend->generator(), target);
  ASSERT_TRUE(seeded.ok()) << seeded.error().message;
  const Graph& graph = seeded.value().graph;
  const LaunchConfig& config = seeded.value().config;
  const InputSpec spec{defect.pattern, 3};

  const auto whole = compile_text(*backend, seeded.value().sound, config, target);
  ASSERT_TRUE(whole.ok()) << whole.error().message;
  const Trial sound = try_kernel(graph, whole.value(), {&spec, 1});
  EXPECT_TRUE(sound.passed) << sound.detail << "\n" << repro(graph, config, target);

  const auto mutant = compile_text(*backend, seeded.value().broken, config, target);
  ASSERT_TRUE(mutant.ok()) << mutant.error().message;
  const Trial caught = try_kernel(graph, mutant.value(), {&spec, 1});
  EXPECT_FALSE(caught.passed) << "nobody noticed";
  EXPECT_FALSE(caught.detail.empty());
}

INSTANTIATE_TEST_SUITE_P(Generator, SeededDefects, ::testing::ValuesIn(kDefects),
                         [](const auto& each) { return std::string(each.param.name); });

}  // namespace
}  // namespace fuselab::testing
