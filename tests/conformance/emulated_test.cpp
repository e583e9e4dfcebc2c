// SPDX-License-Identifier: Apache-2.0
// What a backend generates for devices that this machine lacks, on its emulator against the float64 reference: every operator in
// every claimed type, every workload and every piece of the built-in models. Without --full a sample that rotates with the seed.
#include <gmock/gmock.h>

#include <algorithm>
#include <iostream>
#include <set>

#include "app/worker/emulation/emulation.h"
#include "backends/cuda/driver/cuda_targets.h"
#include "core/graph/graph_text.h"
#include "core/import/models/builtin_models.h"
#include "tests/conformance/backend_case.h"
#include "tests/conformance/model_pieces.h"
#include "tests/conformance/operator_graphs.h"

namespace fuselab::conformance {
namespace {

constexpr unsigned kOneOperatorIn = 6, kOnePieceIn = 6;

const Target& target() {
  const auto& targets = cuda::cuda_targets();
  return *std::find_if(targets.begin(), targets.end(), [](const Target& each) { return each.id == "sm_90"; });
}

bool is_this_turn(unsigned position, unsigned one_in) {
  return run_everything() || (sample_seed() + position) % one_in == 0;
}

void expect_matches(FusionBackend& backend, const Graph& graph, const std::string& what) {
  SCOPED_TRACE(what + ": " + canonical_text(graph));
  const auto* const exception = find_unsupported(case_of("cuda"), what);
  const Support support = backend.generator()->supports(graph, target());
  if (!support.yes || exception != nullptr) {
    EXPECT_FALSE(support.yes) << "works now: take the exception away";
    EXPECT_NE(exception, nullptr) << "claimed, but: " << support.why_not;
    return;
  }
  const auto found = worker::emulate(backend, graph, target());
  ASSERT_TRUE(found.ok()) << found.error().message;
  EXPECT_TRUE(found.value().matched) << found.value().detail << " at " << found.value().extents;
}

class Emulated : public testing::TestWithParam<Op> {
 protected:
  void SetUp() override {
    backend_ = case_of("cuda").make();
    if (const Availability usable = backend_->emulator()->probe(); !usable.usable) GTEST_SKIP() << usable.reason;
  }

  std::unique_ptr<FusionBackend> backend_;
};

std::vector<Op> claimed_operators() {
  return case_of("cuda").make()->capabilities({}).operators;
}

INSTANTIATE_TEST_SUITE_P(Operators, Emulated, testing::ValuesIn(claimed_operators()),
                         [](const auto& given) { return std::string(name_of(given.param)); });

TEST_P(Emulated, MatchesTheReferenceInEveryClaimedType) {
  const auto position = static_cast<unsigned>(GetParam());
  if (!is_this_turn(position, kOneOperatorIn)) GTEST_SKIP() << "another seed's turn";
  const std::vector<DType> claimed = backend_->capabilities({}).dtypes;
  std::vector<DType> types = claimed;
  std::erase_if(types, [](DType type) { return graphs_of(GetParam(), type).empty(); });
  ASSERT_FALSE(types.empty()) << "no claimed type is one that ONNX defines it for";
  if (!run_everything()) types = {types[(sample_seed() / kOneOperatorIn + position) % types.size()]};
  for (const DType type : types) {
    for (const auto& [what, graph] : graphs_of(GetParam(), type)) {
      // Nobody promises a Cast to a type that is not claimed.
      const DType made = graph.type(graph.outputs().front()).dtype;
      const bool is_promised = GetParam() != Op::kCast || std::find(claimed.begin(), claimed.end(), made) != claimed.end();
      if (is_promised) expect_matches(*backend_, graph, what);
    }
  }
}

using EmulatedGraphs = Emulated;

TEST_F(EmulatedGraphs, MatchTheReferenceForWorkloads) {
  unsigned position = 0, refused = 0;
  for (const auto& workload : small_workloads()) {
    if (!is_this_turn(position++, kOnePieceIn)) continue;
    const bool is_one_kernel = backend_->generator()->supports(workload.graph, target()).yes;
    if (is_one_kernel) expect_matches(*backend_, workload.graph, workload.id);
    refused += is_one_kernel ? 0 : 1;
  }
  std::cout << position << " workloads, of those that had their turn " << refused << " are no single kernel\n";
}

TEST_F(EmulatedGraphs, MatchTheReferenceForEveryPieceOfTheBuiltinModels) {
  unsigned position = 0;
  for (const auto& model : builtin_models()) {
    const auto graph = bound_model(model.id);
    ASSERT_TRUE(graph.ok()) << graph.error().message;
    for (const auto& [text, name] : pieces_of(graph.value())) {
      const Graph piece = parse_graph(text).value();
      const Support support = backend_->generator()->supports(piece, target());
      EXPECT_TRUE(support.yes) << model.id << ", " << name << ": " << support.why_not;
      if (support.yes && is_this_turn(position, kOnePieceIn)) expect_matches(*backend_, piece, model.id + ", " + name);
      ++position;
    }
  }
  std::cout << position << " distinct pieces\n";
}

// Operators that the cpu backend writes in some claimed type as a kernel of their own, and cuda does not.
TEST(EmulatedBeside, CudaWritesWhatCpuWritesButForThese) {
  const auto cpu = case_of("cpu").make(), cuda = case_of("cuda").make();
  const auto devices = cpu->enumerate();
  ASSERT_TRUE(devices.ok()) << devices.error().message;
  std::set<std::string> missing;
  for (const Op op : computed_ops()) {
    for (const DType type : cpu->capabilities(devices.value().front()).dtypes) {
      for (const auto& [what, graph] : graphs_of(op, type)) {
        if (!cpu->generator()->supports(graph, devices.value().front().target).yes) continue;
        if (!cuda->generator()->supports(graph, target()).yes) missing.emplace(name_of(op));
      }
    }
  }
  EXPECT_THAT(missing, testing::ElementsAre("GRU", "LSTM", "RNN"));
}

}  // namespace
}  // namespace fuselab::conformance
