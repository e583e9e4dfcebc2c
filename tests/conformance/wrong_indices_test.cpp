// SPDX-License-Identifier: Apache-2.0
// Indices out of range: no generated kernel reads or writes outside of its tensors, and each takes the nearest entry instead.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "core/graph/graph_text.h"
#include "core/reference/special_inputs.h"
#include "tests/conformance/backend_case.h"
#include "tests/conformance/kernel_run.h"

namespace fuselab::conformance {
namespace {

struct Indexed {
  const char* name;
  const char* graph;
  const char* input;     // of indices
  std::int64_t entries;  // that they may name
  friend void PrintTo(const Indexed& indexed, std::ostream* out) { *out << indexed.name; }
};

constexpr Indexed kIndexed[] = {
    {"GatherOfRows", "graph(x: f32[19,8], i: i64[7]) { y = Gather(x, i); return y }", "i", 19},
    {"GatherOfElements", "graph(x: f32[3,19], i: i32[7]) { y = Gather(x, i, axis=1); return y }", "i", 19},
    {"GatherInTurns", "graph(x: f32[600,5,3], i: i64[7]) { y = Gather(x, i, axis=1); return y }", "i", 5},
    {"GatherOfBytes", "graph(x: u8[19,40], i: i64[2,4]) { y = Gather(x, i); return y }", "i", 19},
    {"GatherElements", "graph(x: f32[7,33], i: i64[7,5]) { y = GatherElements(x, i, axis=1); return y }", "i", 33},
    {"GatherND", "graph(x: f32[9,9,4], i: i64[6,2]) { y = GatherND(x, i); return y }", "i", 9},
    {"ScatterElements", "graph(x: f32[7,33], i: i64[7,1], u: f32[7,1]) { y = ScatterElements(x, i, u, axis=1); return y }", "i",
     33},
    {"ScatterElementsAdded",
     "graph(x: f32[33], i: i64[7], u: f32[7]) { y = ScatterElements(x, i, u, reduction=\"add\"); return y }", "i", 33},
    {"ScatterND", "graph(x: f32[64,4], i: i64[7,1], u: f32[7,4]) { y = ScatterND(x, i, u, reduction=\"add\"); return y }", "i", 64},
    {"ScatterNDOfOne", "graph(x: f32[64,4], i: i64[1,1], u: f32[1,4]) { y = ScatterND(x, i, u); return y }", "i", 64},
    {"Labels", "graph(x: f32[7,65], l: i64[7]) { y = SoftmaxCrossEntropyLoss(x, l, reduction=\"none\"); return y }", "l", 65},
    {"LabelsOfLogs", "graph(x: f32[7,65], l: i64[7]) { y = NegativeLogLikelihoodLoss(x, l); return y }", "l", 65},
    {"Positions", "graph(x: f32[1,2,7,16], c: f32[9,8], s: f32[9,8], i: i64[1,7]) { y = RotaryEmbedding(x, c, s, i); return y }",
     "i", 9},
    {"PositionsOfPairs",
     "graph(x: f32[1,2,7,16], c: f32[9,8], s: f32[9,8], i: i64[1,7]) { y = RotaryEmbedding(x, c, s, i, interleaved=1); return y }",
     "i", 9},
};

using IndexedCase = std::tuple<BackendCase, Indexed>;
class IndicesOutOfRange : public testing::TestWithParam<IndexedCase> {};

// Libraries have their own kernels.
std::vector<BackendCase> generating_cases() {
  std::vector<BackendCase> cases = all_cases();
  cases.erase(std::remove_if(cases.begin(), cases.end(),
                             [](const BackendCase& each) {
                               return each.id != "cpu" && each.id != "openmp" && each.id != "opencl" && each.id != "cuda";
                             }),
              cases.end());
  return cases;
}

INSTANTIATE_TEST_SUITE_P(Generated, IndicesOutOfRange,
                         testing::Combine(testing::ValuesIn(generating_cases()), testing::ValuesIn(kIndexed)),
                         [](const auto& given) { return std::get<0>(given.param).id + "_" + std::get<1>(given.param).name; });

TEST_P(IndicesOutOfRange, ReachNothingOutsideOfTheTensors) {
  const auto& [backend, indexed] = GetParam();
  auto opened = open_first_device(backend);
  if (!opened.why_not.empty()) GTEST_SKIP() << opened.why_not;
  const Graph graph = parse_graph(indexed.graph).value();
  const Target& target = opened.device.target;
  const CodeGenerator& generator = *opened.backend->generator();
  if (const Support support = generator.supports(graph, target); !support.yes) GTEST_SKIP() << support.why_not;
  const auto kernel =
      compile_kernel(*opened.backend, graph, generator.default_config(graph, target), target, OptimizationLevel::kO2, {});
  ASSERT_TRUE(kernel.ok()) << kernel.error().message;
  const auto run = KernelRun::create(*opened.runtime, kernel.value(), graph);
  ASSERT_TRUE(run.ok()) << run.error().message;
  const auto found = std::find_if(graph.inputs().begin(), graph.inputs().end(),
                                  [&, &name = indexed.input](ValueId input) { return graph.value(input).name == name; });
  const TensorType& type = graph.type(*found);
  const auto last = static_cast<double>(indexed.entries - 1);
  const double far = type.dtype == DType::kI32 ? std::numeric_limits<std::int32_t>::max() : 0x1p62;
  std::int64_t before = 0;
  for (const double wrong : {last + 1, last + 1000, -last - 2, -last - 1000, 0x1p30, far, -far - 1}) {
    RealTensor given = make_input(graph, static_cast<std::size_t>(found - graph.inputs().begin()), InputSpec()), meant = given;
    given.data[given.data.size() / 2] = wrong;
    meant.data[given.data.size() / 2] = wrong < 0 ? 0 : last;
    ASSERT_TRUE(run.value()->give(static_cast<std::size_t>(found - graph.inputs().begin()), given, meant).ok());
    const Status launched = run.value()->launch();
    ASSERT_TRUE(launched.ok()) << wrong << ": " << launched.error().message;
    const auto verified = run.value()->verify();
    ASSERT_TRUE(verified.ok()) << verified.error().message;
    EXPECT_TRUE(verified.value().passed) << wrong << ": " << verified.value().detail;
    if (const auto* const counting = run.value()->counting()) {
      const WrongIndices met = counting->wrong_indices().value();
      EXPECT_GT(met.count, before) << wrong;
      EXPECT_EQ(static_cast<double>(met.index), wrong);
      EXPECT_EQ(met.entries, indexed.entries);
      before = met.count;
    }
  }
}

}  // namespace
}  // namespace fuselab::conformance
