// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "core/fusion/explain/why_not.h"
#include "core/reference/reference.h"
#include "core/tensor/tensor.h"
#include "tests/unit/fusion/fusion_test_support.h"

namespace fuselab {
namespace {

using testing::fused;
using testing::graph_of;
using testing::groups_of;
using ::testing::HasSubstr;
using ::testing::StartsWith;

// Two contractions, each followed by a product with what `shared` makes of g.
std::string two_gates(const std::string& shared) {
  return "graph(x: f32[64,32], w: f32[32,48], u: f32[32,48], g: f32[64,48], h: f32[64,48]) { s = " + shared +
         "; a = MatMul(x, w); y = Mul(a, s); b = MatMul(x, u); z = Mul(b, s); return y, z }";
}

FusionOptions asking_one_that_takes_prologues() {
  FusionOptions options;
  options.asked = {{"cpu", {}}};
  options.asked.front().limits.takes_prologue = true;
  return options;
}

const SharedIntermediate& shared_of(const FusionResult& result, const std::string& producer) {
  static const SharedIntermediate none;
  for (const SharedIntermediate& each : result.shared) {
    if (each.producer == producer) return each;
  }
  ADD_FAILURE() << producer << " is not shared";
  return none;
}

TEST(SharedIntermediates, AreComputedInEachPieceWhereThatCostsLess) {
  const auto result = fused(two_gates("Relu(g)"));
  EXPECT_EQ(groups_of(result), "Relu+MatMul+Mul Relu+MatMul+Mul");
  const SharedIntermediate& relu = shared_of(result, "s");
  EXPECT_TRUE(relu.recomputed);
  EXPECT_EQ(relu.pieces, 2);
  EXPECT_EQ(relu.reason,
            "computed in each piece: 3.07 k operations more cost less than the 12.0 KiB that need not be written and read");
  for (const FusedOperation& piece : result.operations) {
    EXPECT_TRUE(validate(piece).valid());
    EXPECT_EQ(piece.graph.outputs().size(), 1U) << "nothing is kept for others";
  }
  EXPECT_EQ(result.original_op_count, 5) << "operators of the given graph";
  const auto why = why_not_fused(result, "s", "y");
  ASSERT_TRUE(why.ok());
  EXPECT_THAT(why.value().text, HasSubstr("2 pieces read what 's' makes: it is computed in each piece: 3.07 k operations more"));
}

TEST(SharedIntermediates, AreStoredOnceWhereComputingThemAgainCostsMore) {
  const auto result = fused(two_gates("Gelu(g)"));
  EXPECT_EQ(result.operations.size(), 2U);
  EXPECT_FALSE(shared_of(result, "s").recomputed);
  EXPECT_EQ(shared_of(result, "s").reason,
            "stored once: computing Gelu again in another piece takes 98.3 k operations more, which cost more than the 12.0 KiB of "
            "traffic that it saves");
  EXPECT_TRUE(result.origins.empty());
}

TEST(SharedIntermediates, AreStoredOnceWhereComputingThemAgainReadsAsMuch) {
  const auto result = fused(two_gates("Add(g, h)"));
  EXPECT_EQ(shared_of(result, "s").reason,
            "stored once: to compute Add again, another piece would read 24.0 KiB where storing it moves 24.0 KiB");
}

TEST(SharedIntermediates, AreStoredOnceWhereNoReaderCouldMakeThem) {
  const auto result =
      fused("graph(x: f32[64,32], w: f32[32,32]) { m = MatMul(x, w); s = Relu(m); a = Softmax(s); b = MatMul(s, w); return a, b }");
  EXPECT_THAT(shared_of(result, "s").reason,
              StartsWith("stored once: what Relu reads, m makes in the same piece and keeps nowhere"));
  const auto raw = fused("graph(x: f32[64,32], w: f32[32,32]) { m = MatMul(x, w); a = Softmax(m); b = MatMul(m, w); return a, b }");
  EXPECT_THAT(shared_of(raw, "m").reason, HasSubstr("computing MatMul again is no element-wise work"));
}

// Before contractions they are computed only where a backend takes prologues: else the copies would be pieces of their own.
TEST(SharedIntermediates, AreTakenBackWhereTheirReadersDoNotTakeThem) {
  constexpr const char* kTwoProducts = R"(graph(x: f32[64,32], w: f32[32,48], u: f32[32,16]) {
    r = Relu(x); a = MatMul(r, w); b = MatMul(r, u); return a, b })";
  const auto taken = fused(kTwoProducts, asking_one_that_takes_prologues());
  EXPECT_EQ(groups_of(taken), "Relu+MatMul Relu+MatMul");
  const auto left = fused(kTwoProducts);
  EXPECT_EQ(groups_of(left), "Relu MatMul MatMul");
  EXPECT_THAT(
      shared_of(left, "r").reason,
      StartsWith("stored once: computed in each piece it would save 16.0 KiB, but MatMul reads each element of Relu's output"));
}

TEST(SharedIntermediates, AreLeftAloneWhenAskedTo) {
  FusionOptions options;
  options.enable_recomputation = false;
  EXPECT_EQ(shared_of(fused(two_gates("Relu(g)"), options), "s").reason, "stored once: recomputation is off");
}

TEST(SharedIntermediates, ComputedAnewAreWhatTheyWere) {
  const Graph graph = graph_of(two_gates("Relu(g)"));
  const auto result = fused(graph);
  ASSERT_FALSE(result.origins.empty());
  const auto inputs = make_inputs(graph, {});
  const auto expected = evaluate_reference(graph, inputs), found = evaluate_reference(result.graph, inputs);
  ASSERT_TRUE(expected.ok() && found.ok());
  for (std::size_t i = 0; i < expected.value().size(); ++i) EXPECT_EQ(found.value()[i].data, expected.value()[i].data);
}

TEST(SharedIntermediates, OfMoreBytesThanAnIntegerHoldsAreStillWeighed) {
  const auto result = fused(R"(graph(x: f32[1073741824,1], w: f32[1,536870912], g: f32[1073741824,536870912]) {
    s = Relu(g); a = MatMul(x, w); y = Mul(a, s); b = MatMul(x, w); z = Mul(b, s); c = MatMul(x, w); q = Mul(c, s); return y, z, q })");
  const SharedIntermediate& relu = shared_of(result, "s");
  EXPECT_GE(relu.saved.count, 0);
  EXPECT_THAT(relu.reason, ::testing::Not(HasSubstr("-"))) << "negative bytes";
}

}  // namespace
}  // namespace fuselab
