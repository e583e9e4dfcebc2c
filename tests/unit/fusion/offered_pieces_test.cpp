// SPDX-License-Identifier: Apache-2.0
// Pieces are offered to the asked backends, and what none of them writes is cut again.
#include <gmock/gmock.h>

#include "tests/unit/fusion/fusion_test_support.h"

namespace fuselab {
namespace {

using testing::fused;
using testing::groups_of;
using ::testing::HasSubstr;
using testing::reason_between;

constexpr const char* kChain = "graph(x: f32[8,64]) { a = Neg(x); b = Exp(a); c = Tanh(b); d = Sigmoid(c); return d }";

// A backend that writes no piece with this operator beside others; of one operator it writes all.
BackendLimits never_together(const char* backend, Op op, int* asked = nullptr) {
  BackendLimits limits{backend, {}};
  limits.writes = [op, asked](const Graph& graph) -> std::optional<Support> {
    if (asked != nullptr) ++*asked;
    const auto& nodes = graph.nodes();
    const bool has = std::any_of(nodes.begin(), nodes.end(), [&](const Node& node) { return node.op == op; });
    return has && nodes.size() > 1 ? Support::no("no such kernel") : Support();
  };
  return limits;
}

FusionOptions asking(std::vector<BackendLimits> asked) {
  FusionOptions options;
  options.asked = std::move(asked);
  return options;
}

TEST(OfferedPieces, WhatNoAskedBackendWritesIsCutUntilTheOthersFuse) {
  EXPECT_EQ(groups_of(fused(kChain, asking({{"cpu", {}}}))), "Neg+Exp+Tanh+Sigmoid") << "nothing was offered";
  const FusionResult result = fused(kChain, asking({never_together("cpu", Op::kExp)}));
  EXPECT_EQ(groups_of(result), "Neg Exp Tanh+Sigmoid");
  EXPECT_EQ(reason_between(result, "b", "c"), "no asked device writes them as one kernel; cpu: no such kernel");
  EXPECT_EQ(result.covered_share, 1.0);
}

TEST(OfferedPieces, EveryPlaceOfTheOperatorThatIsRefusedIsFound) {
  for (const Op op : {Op::kNeg, Op::kExp, Op::kTanh, Op::kSigmoid}) {
    const FusionResult result = fused(kChain, asking({never_together("cpu", op)}));
    for (const FusedOperation& piece : result.operations) {
      const bool has =
          std::any_of(piece.nodes.begin(), piece.nodes.end(), [&](NodeId id) { return result.graph.node(id).op == op; });
      EXPECT_TRUE(!has || piece.nodes.size() == 1) << name_of(op) << ": " << groups_of(result);
    }
    EXPECT_LE(result.operations.size(), 3U) << "the others are together: " << groups_of(result);
  }
}

TEST(OfferedPieces, OneBackendThatTakesThePieceIsEnough) {
  EXPECT_EQ(groups_of(fused(kChain, asking({never_together("cpu", Op::kExp), never_together("opencl", Op::kSin)}))),
            "Neg+Exp+Tanh+Sigmoid");
}

TEST(OfferedPieces, ABackendThatCannotBeAskedKeepsThePiece) {
  BackendLimits silent{"cuda", {}};
  silent.writes = [](const Graph&) { return std::optional<Support>(); };
  EXPECT_EQ(groups_of(fused(kChain, asking({never_together("cpu", Op::kExp), silent}))), "Neg+Exp+Tanh+Sigmoid");
}

TEST(OfferedPieces, EachPieceIsOfferedOnce) {
  int asked = 0;
  fused("graph(x: f32[8,64], y: f32[8,64]) { a = Neg(x); b = Exp(a); c = Neg(y); d = Exp(c); return b, d }",
        asking({never_together("cpu", Op::kSin, &asked)}));
  EXPECT_EQ(asked, 1) << "both pieces are the same graph";
}

TEST(OfferedPieces, OpenExtentsAreNotOffered) {
  int asked = 0;
  const FusionResult result =
      fused("graph(x: f32[n,64]) { a = Neg(x); b = Exp(a); return b }", asking({never_together("cpu", Op::kExp, &asked)}));
  EXPECT_EQ(groups_of(result), "Neg+Exp");
  EXPECT_EQ(asked, 0);
}

// A pattern, and a view that would join it.
TEST(OfferedPieces, APatternAndAViewAreRefusedLikeWhatGrows) {
  const char* const softmax = "graph(x: f32[8,64]) { s = Softmax(x); r = Reshape(s, shape=[512]); return r }";
  BackendLimits no_views{"cpu", {}};
  no_views.writes = [](const Graph& graph) -> std::optional<Support> {
    for (const Node& node : graph.nodes()) {
      if (node.op == Op::kReshape) return Support::no("no views");
    }
    return Support();
  };
  EXPECT_EQ(groups_of(fused(softmax)), "Softmax+Reshape");
  EXPECT_EQ(groups_of(fused(softmax, asking({no_views}))), "Softmax Reshape");
}

TEST(OfferedPieces, ABackendThatWritesOneOperatorAtMostGetsThemApart) {
  BackendLimits single{"mkl", {}};
  single.writes = [](const Graph& graph) -> std::optional<Support> {
    return graph.nodes().size() > 1 ? Support::no("one operator at most") : Support();
  };
  std::string text = "graph(x: f32[8,64]) { ";
  std::string from = "x";
  for (int i = 0; i < 40; ++i) {
    const std::string to = "v" + std::to_string(i);
    text += to + " = Neg(" + from + "); ";
    from = to;
  }
  const FusionResult result = fused(text + "return v39 }", asking({single}));
  EXPECT_EQ(result.operations.size(), 40U) << "however many cuts that would take one by one";
}

TEST(OfferedPieces, AValueThatIsComputedAgainIsTheSameNodeInARefusal) {
  const char* const shared =
      "graph(x: f32[64,64], y: f32[64,64]) { e = Exp(x); a = Add(e, y); r = ReduceSum(a, axes=[1]); m = Mul(e, y); "
      "s = ReduceSum(m, axes=[0]); return r, s }";
  const FusionResult result = fused(shared, asking({never_together("cpu", Op::kExp)}));
  for (const FusedOperation& piece : result.operations) {
    const auto is_exp = [&](NodeId id) { return result.graph.node(id).op == Op::kExp; };
    EXPECT_TRUE(piece.nodes.size() == 1 || std::none_of(piece.nodes.begin(), piece.nodes.end(), is_exp)) << groups_of(result);
  }
}

}  // namespace
}  // namespace fuselab
