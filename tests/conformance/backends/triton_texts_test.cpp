// SPDX-License-Identifier: Apache-2.0
// What the Triton backend claims and what it writes, for a GPU that this machine lacks; and where a Python with Triton is, what
// its interpreter makes of the texts, against the float64 reference. Without --full a sample that rotates with the seed.
#include <gmock/gmock.h>

#include <algorithm>
#include <set>

#include "app/worker/emulation/emulation.h"
#include "core/graph/graph_text.h"
#include "core/kernel/virtual_target.h"
#include "tests/conformance/backend_case.h"
#include "tests/conformance/operator_graphs.h"

namespace fuselab::conformance {
namespace {

constexpr unsigned kOneOperatorIn = 6;

class TritonTexts : public testing::TestWithParam<Op> {
 protected:
  BackendCase case_ = case_of("triton");
  std::unique_ptr<FusionBackend> backend_ = case_.make();
  Target target_ = virtual_target("sm_90a").value().target;
  BackendCapabilities claims_ = backend_->capabilities({});

  bool claims(Op op) const { return std::ranges::find(claims_.operators, op) != claims_.operators.end(); }
  // Nobody promises a Cast to a type that is not claimed.
  bool is_promised(const Graph& graph) const {
    const DType made = graph.type(graph.outputs().front()).dtype;
    return GetParam() != Op::kCast || std::ranges::find(claims_.dtypes, made) != claims_.dtypes.end();
  }
};

INSTANTIATE_TEST_SUITE_P(Operators, TritonTexts, testing::ValuesIn(computed_ops().begin(), computed_ops().end()),
                         [](const auto& given) { return std::string(name_of(given.param)); });

TEST_P(TritonTexts, AreWrittenForWhatIsClaimedAndForNothingElse) {
  std::set<std::string> excepted, refused;  // patterns of exceptions
  for (const DType type : claims_.dtypes) {
    for (const auto& [what, graph] : graphs_of(GetParam(), type)) {
      if (!is_promised(graph)) continue;
      SCOPED_TRACE(what + ": " + canonical_text(graph));
      const Support support = backend_->generator()->supports(graph, target_);
      EXPECT_EQ(support.yes, support.why_not.empty());
      if (const Unsupported* const exception = find_unsupported(case_, what); exception != nullptr) {
        excepted.insert(exception->pattern);
        if (!support.yes) refused.insert(exception->pattern);
      } else {
        EXPECT_EQ(support.yes, claims(GetParam())) << (support.yes ? "it is written, and not claimed" : support.why_not);
      }
    }
  }
  EXPECT_EQ(excepted, refused) << "all of it is written now: take the exception away";
}

TEST_P(TritonTexts, MatchTheReferenceInTheInterpreter) {
  const auto position = static_cast<unsigned>(GetParam());
  if (!claims(GetParam())) GTEST_SKIP() << "not claimed";
  if (!run_everything() && (sample_seed() + position) % kOneOperatorIn != 0) GTEST_SKIP() << "another seed's turn";
  if (const Availability usable = backend_->emulator()->probe(); !usable.usable) GTEST_SKIP() << usable.reason;
  for (const DType type : claims_.dtypes) {
    if (type == DType::kBF16) continue;  // the interpreter has none
    for (const auto& [what, graph] : graphs_of(GetParam(), type)) {
      if (!is_promised(graph) || !backend_->generator()->supports(graph, target_).yes) continue;
      SCOPED_TRACE(what + ": " + canonical_text(graph));
      const auto found = worker::emulate(*backend_, graph, target_);
      ASSERT_TRUE(found.ok()) << found.error().message;
      EXPECT_TRUE(found.value().matched) << found.value().detail << " at " << found.value().extents;
    }
  }
}

}  // namespace
}  // namespace fuselab::conformance
