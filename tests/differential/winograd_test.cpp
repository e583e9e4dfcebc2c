// SPDX-License-Identifier: Apache-2.0
// Winograd's convolutions in all their shapes: tiles that hang over, groups, paddings, a computed image, every cut into tasks.
#include <gtest/gtest.h>

#include <algorithm>

#include "backends/cpu/cpu_backend.h"
#include "core/graph/graph_text.h"
#include "tests/differential/kernel_trial.h"

namespace fuselab::testing {
namespace {

struct Shape {
  const char* name;
  const char* graph;
  friend void PrintTo(const Shape& shape, std::ostream* out) { *out << shape.name; }
};

constexpr Shape kShapes[] = {
    {"WholeTiles", "graph(x: f32[1,32,8,12], w: param f32[32,32,3,3]) { y = Conv(x, w, pads=[1,1,1,1]); return y }"},
    {"TilesBeyondTheImage",
     R"(graph(x: f32[2,21,11,15], w: param f32[43,21,3,3], b: param f32[43], z: f32[2,43,11,15]) {
        y = Conv(x, w, b, pads=[1,1,1,1]); s = Add(y, z); u = Relu(s); return u })"},
    {"NoPadding", "graph(x: f32[1,16,9,8], w: param f32[17,16,3,3]) { y = Conv(x, w); return y }"},
    {"PaddingOfSomeSides",
     "graph(x: f32[1,18,7,30], w: param f32[16,18,3,3], b: param f32[16]) { y = Conv(x, w, b, pads=[0,2,1,0]); return y }"},
    {"Groups", "graph(x: f32[1,34,10,13], w: param f32[36,17,3,3]) { y = Conv(x, w, group=2, pads=[1,1,1,1]); return y }"},
    {"ComputedImage",
     "graph(x: f32[1,16,6,7], w: param f32[16,16,3,3]) { q = Sigmoid(x); y = Conv(q, w, pads=[1,1,1,1]); return y }"},
    {"OnePixel", "graph(x: f32[1,16,1,1], w: param f32[16,16,3,3]) { y = Conv(x, w, pads=[1,1,1,1]); return y }"},
};

std::int64_t most_of(const ParameterSpace& space, std::string_view name) {
  const auto axis = std::ranges::find(space.parameters(), name, &Parameter::name);
  return std::get<std::int64_t>(axis->values.back());
}

class Winograd : public ::testing::TestWithParam<Shape> {};

TEST_P(Winograd, MatchesTheReferenceHoweverItIsCut) {
  const auto backend = make_cpu_backend();
  if (const Availability usable = backend->probe(); !usable.usable) GTEST_SKIP() << usable.reason;
  const DeviceInfo device = backend->enumerate().value().front();
  const Graph graph = parse_graph(GetParam().graph).value();
  const InputSpec specs[] = {{InputPattern::kUniform, 7}, {InputPattern::kDenormal, 7}};
  std::vector<Target> targets = device.other_targets;
  targets.insert(targets.begin(), device.target);
  for (const Target& target : targets) {
    const ParameterSpace space = backend->generator()->space(graph, target);
    LaunchConfig config = backend->generator()->default_config(graph, target);
    ASSERT_EQ(config.integer("winograd", -1), 0) << "nobody asked for it";
    config.set("winograd", 1);
    for (const std::int64_t tile_m : {1, 3, 7}) {
      for (const std::int64_t rows : {std::int64_t{1}, std::int64_t{8}, most_of(space, "rows_per_task")}) {
        LaunchConfig cut = config;
        cut.set("tile_m", tile_m);
        cut.set("tile_n", tile_m == 7 ? 1 : 2);
        cut.set("rows_per_task", rows);
        cut.set("channel_parts", rows == 8 ? 2 : 1);
        if (!space.check(cut).ok()) continue;  // a small image has no such cut
        const auto kernel = compile_kernel(*backend, graph, cut, target, OptimizationLevel::kO2, {});
        ASSERT_TRUE(kernel.ok()) << kernel.error().message << "\n" << repro(graph, cut, target);
        const Trial trial = try_kernel(graph, kernel.value(), specs);
        EXPECT_TRUE(trial.passed) << trial.detail << "\n" << repro(graph, cut, target);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Shapes, Winograd, ::testing::ValuesIn(kShapes),
                         [](const auto& each) { return std::string(each.param.name); });

}  // namespace
}  // namespace fuselab::testing
