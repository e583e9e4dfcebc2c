// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <algorithm>

#include "core/graph/graph_text.h"
#include "tests/conformance/backend_case.h"
#include "tests/conformance/kernel_run.h"
#include "tests/conformance/operator_graphs.h"

namespace fuselab::conformance {
namespace {

using OperatorCase = std::tuple<BackendCase, Op>;

std::vector<Op> all_operators() {
  return {computed_ops().begin(), computed_ops().end()};
}

// Runs one graph against the reference; an exception must still be one.
void expect_matches(const BackendCase& backend, Opened& opened, const Graph& graph, const std::string& what) {
  SCOPED_TRACE(what + ": " + canonical_text(graph));
  const auto* exception = find_unsupported(backend, what);
  const auto support = opened.backend->generator()->supports(graph, opened.device.target);
  if (!support.yes) {
    EXPECT_FALSE(support.why_not.empty());
    EXPECT_NE(exception, nullptr) << "claimed, but: " << support.why_not;
    return;
  }
  const auto verification = compile_and_verify(*opened.backend, *opened.runtime, graph);
  const bool passed = verification.ok() && verification.value().passed;
  if (exception != nullptr) {
    EXPECT_FALSE(passed) << "works now: take the exception '" << exception->pattern << "' away (" << exception->reason << ")";
    return;
  }
  ASSERT_TRUE(verification.ok()) << verification.error().message;
  EXPECT_TRUE(passed) << verification.value().detail;
}

class OperatorOf : public testing::TestWithParam<OperatorCase> {};

INSTANTIATE_TEST_SUITE_P(Capabilities, OperatorOf,
                         testing::Combine(testing::ValuesIn(all_cases(true)), testing::ValuesIn(all_operators())),
                         [](const auto& given) {
                           return std::get<0>(given.param).id + "_" + std::string(name_of(std::get<1>(given.param)));
                         });

// f32 always, and one other type that rotates with the seed; all of them in a full run. Only those that ONNX defines it for.
std::vector<DType> types_to_try(const BackendCase& backend, std::vector<DType> claimed, Op op) {
  claimed.erase(std::remove_if(claimed.begin(), claimed.end(), [op](DType type) { return graphs_of(op, type).empty(); }),
                claimed.end());
  if (backend.compiles_in_no_time || run_everything() || claimed.size() <= 2) return claimed;
  std::vector<DType> types;
  std::vector<DType> others;
  std::copy_if(claimed.begin(), claimed.end(), std::back_inserter(others), [](DType type) { return type != DType::kF32; });
  if (others.size() < claimed.size()) types.push_back(DType::kF32);
  types.push_back(others[(sample_seed() + static_cast<unsigned>(op)) % others.size()]);
  return types;
}

// Whether a Cast is to a type that is claimed: to others nobody promises it.
bool is_promised(const Graph& graph, const std::vector<DType>& claimed) {
  const auto made = graph.type(graph.outputs().front()).dtype;
  return std::find(claimed.begin(), claimed.end(), made) != claimed.end();
}

TEST_P(OperatorOf, MatchesTheReferenceInEveryClaimedType) {
  const auto& [backend, op] = GetParam();
  if (!has_its_turn(backend, static_cast<unsigned>(op))) GTEST_SKIP() << "another seed's turn";
  auto opened = open_first_device(backend);
  if (!opened.why_not.empty()) GTEST_SKIP() << opened.why_not;
  const auto capabilities = opened.backend->capabilities(opened.device);
  const auto& claimed = capabilities.operators;
  if (std::find(claimed.begin(), claimed.end(), op) == claimed.end()) GTEST_SKIP() << name_of(op) << " is not claimed";
  int graphs = 0;
  for (const DType dtype : types_to_try(backend, capabilities.dtypes, op)) {
    for (const auto& [what, graph] : graphs_of(op, dtype)) {
      if (op == Op::kCast && !is_promised(graph, capabilities.dtypes)) continue;
      expect_matches(backend, opened, graph, what);
      ++graphs;
    }
  }
  EXPECT_GT(graphs, 0) << "no claimed type is one that ONNX defines " << name_of(op) << " for";
}

class WorkloadOf : public testing::TestWithParam<BackendCase> {};

INSTANTIATE_TEST_SUITE_P(Fused, WorkloadOf, testing::ValuesIn(all_cases()), [](const auto& given) { return given.param.id; });

TEST_P(WorkloadOf, MatchesTheReferenceAsOneKernelWhereSupported) {
  auto opened = open_first_device(GetParam());
  if (!opened.why_not.empty()) GTEST_SKIP() << opened.why_not;
  unsigned supported = 0;
  for (const auto& workload : small_workloads()) {
    if (!opened.backend->generator()->supports(workload.graph, opened.device.target).yes) continue;
    if (has_its_turn(GetParam(), supported)) expect_matches(GetParam(), opened, workload.graph, workload.id);
    ++supported;
  }
  EXPECT_GE(supported, 5U);
}

// R79-R86: what S1 asks of every compute backend.
TEST_P(WorkloadOf, RunsEveryOperationOfTheComputeBackendInterface) {
  auto opened = open_first_device(GetParam());
  if (!opened.why_not.empty()) GTEST_SKIP() << opened.why_not;
  int operations = 0;
  for (const auto& workload : small_workloads()) {
    if (workload.id.rfind("s1-", 0) != 0) continue;
    expect_matches(GetParam(), opened, workload.graph, workload.id);
    ++operations;
  }
  EXPECT_EQ(operations, 10) << "all eleven less name()";
}

}  // namespace
}  // namespace fuselab::conformance
