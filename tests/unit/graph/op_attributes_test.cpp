// SPDX-License-Identifier: Apache-2.0
#include "core/ops/op_attributes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace fuselab {
namespace {

using ::testing::HasSubstr;

std::string problem(Op op, const Attributes& attributes) {
  const auto checked = check_attributes(op, attributes);
  return checked.ok() ? "accepted" : checked.error().message;
}

TEST(OpAttributes, RefusesUnknownOnesAndNamesTheKnown) {
  EXPECT_EQ(problem(Op::kGelu, {{"aproximate", std::string("tanh")}}), "Gelu has no attribute 'aproximate'; it has approximate");
  EXPECT_EQ(problem(Op::kRelu, {{"alpha", 1.0}}), "Relu has no attribute 'alpha'; it has none");
}

TEST(OpAttributes, RefusesAnotherKind) {
  EXPECT_THAT(problem(Op::kSoftmax, {{"axis", 1.0}}), HasSubstr("attribute 'axis' must be an integer"));
  EXPECT_THAT(problem(Op::kTranspose, {{"perm", std::int64_t{1}}}), HasSubstr("must be a list of integers"));
  EXPECT_THAT(problem(Op::kLeakyRelu, {{"alpha", std::string("x")}}), HasSubstr("must be a real number"));
}

TEST(OpAttributes, AcceptsAnIntegerWhereARealIsMeant) {
  EXPECT_EQ(problem(Op::kLeakyRelu, {{"alpha", std::int64_t{1}}}), "accepted");
}

TEST(OpAttributes, RefusesWhereARequiredOneIsMissing) {
  EXPECT_EQ(problem(Op::kConcat, {}), "Concat needs the attribute 'axis'");
  EXPECT_EQ(problem(Op::kCast, {}), "Cast needs the attribute 'to'");
}

TEST(OpAttributes, OpaqueNodesTakeAnything) {
  EXPECT_EQ(problem(Op::kOpaque, {{"anything", 1.0}}), "accepted");
}

TEST(CanonicalAttributes, LeavesDefaultsOut) {
  const Attributes given = {{"axis", std::int64_t{-1}}, {"epsilon", 1e-5}, {"stash_type", std::int64_t{1}}};
  EXPECT_EQ(canonical_attributes(Op::kLayerNormalization, given), Attributes());
}

TEST(CanonicalAttributes, SpellsOneValueOneWay) {
  EXPECT_EQ(canonical_attributes(Op::kGemm, {{"alpha", std::int64_t{1}}, {"beta", std::int64_t{2}}}), (Attributes{{"beta", 2.0}}));
  EXPECT_EQ(canonical_attributes(Op::kCast, {{"to", std::int64_t{10}}}), (Attributes{{"to", std::string("f16")}}));
  EXPECT_EQ(canonical_attributes(Op::kConstant, {{"value", std::int64_t{2}}}), (Attributes{{"value", 2.0}}));
}

TEST(CanonicalAttributes, KeepsIntegerConstantsIntegers) {
  const Attributes given = {{"dtype", std::string("i64")}, {"value", std::int64_t{2}}};
  EXPECT_EQ(canonical_attributes(Op::kConstant, given), given);
}

TEST(CastTarget, ReadsNamesAndOnnxNumbers) {
  EXPECT_EQ(cast_target({{"to", std::string("bf16")}}), DType::kBF16);
  EXPECT_EQ(cast_target({{"to", std::int64_t{7}}}), DType::kI64);
  EXPECT_EQ(cast_target({{"to", std::int64_t{8}}}), std::nullopt);
  EXPECT_EQ(cast_target({{"to", std::string("float")}}), std::nullopt);
}

}  // namespace
}  // namespace fuselab
