// SPDX-License-Identifier: Apache-2.0
#include <map>

#include "core/reference/reference.h"
#include "core/tensor/tensor.h"
#include "random_graph.h"

namespace fuselab {
namespace {

using testing::fused;
using testing::option_sets;
using testing::RandomGraph;

class FusedPieces : public ::testing::TestWithParam<int> {};

// Runs the pieces one after the other, each reading only what earlier ones wrote: by value name, which fuse() keeps.
std::map<std::string, RealTensor> run_pieces(const FusionResult& result, const std::vector<RealTensor>& inputs) {
  std::map<std::string, RealTensor> known;
  for (std::size_t i = 0; i < inputs.size(); ++i) known[result.graph.value(result.graph.inputs()[i]).name] = inputs[i];
  for (const auto& operation : result.operations) {
    std::vector<RealTensor> arguments;
    for (ValueId input : operation.graph.inputs()) arguments.push_back(known.at(operation.graph.value(input).name));
    auto outputs = evaluate_reference(operation.graph, arguments);
    EXPECT_TRUE(outputs.ok()) << outputs.error().message;
    for (std::size_t i = 0; i < operation.graph.outputs().size(); ++i) {
      known[operation.graph.value(operation.graph.outputs()[i]).name] = outputs.value()[i];
    }
  }
  return known;
}

TEST_P(FusedPieces, InOrderComputeWhatTheWholeComputes) {
  const RandomGraph random(static_cast<std::uint64_t>(GetParam()));
  const Graph& graph = random.graph();
  const auto inputs = make_inputs(graph, {});
  const auto whole = evaluate_reference(graph, inputs);
  ASSERT_TRUE(whole.ok()) << whole.error().message;
  for (const auto& options : option_sets()) {
    const auto known = run_pieces(fused(graph, options), inputs);
    for (std::size_t i = 0; i < graph.outputs().size(); ++i) {
      const std::string& name = graph.value(graph.outputs()[i]).name;
      EXPECT_EQ(known.at(name).data, whole.value()[i].data) << name << " of " << named_text(graph);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, FusedPieces, ::testing::Range(1, 61));

}  // namespace
}  // namespace fuselab
