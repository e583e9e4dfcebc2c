// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "core/fusion/explain/why_not.h"
#include "tests/unit/fusion/fusion_test_support.h"

namespace fuselab {
namespace {

using testing::fused;
using testing::groups_of;
using ::testing::HasSubstr;
using testing::reason_between;

FusionOptions asking(bool multiplies_8_bit) {
  FusionOptions options;
  options.asked = {{"cpu", {}}};
  options.asked.front().limits.multiplies_8_bit = multiplies_8_bit;
  return options;
}

constexpr const char* kQuantised = R"(graph(x: u8[64,32], z: u8[], w: i8[32,48], s: f32[], b: f32[48]) {
  wide = Cast(x, to="i32"); zero = Cast(z, to="i32"); c = Sub(wide, zero); weight = Cast(w, to="i32"); p = MatMul(c, weight);
  r = Cast(p, to="f32"); m = Mul(r, s); y = Add(m, b); return y })";

TEST(IntegerProductPieces, HoldWhatMakesTheirOperands) {
  EXPECT_EQ(groups_of(fused(kQuantised, asking(true))), "Cast+Cast+Sub+Cast+MatMul+Cast+Mul+Add");
  const auto why = why_not_fused(fused(kQuantised, asking(true)), "wide", "p");
  ASSERT_TRUE(why.ok());
  EXPECT_THAT(why.value().text,
              HasSubstr("MatMul multiplies its operands' 8-bit numbers as they lie in memory: 28.0 KiB less are written and read"));
}

TEST(IntegerProductPieces, AreLeftApartWhereABackendDoesNotTakeThem) {
  EXPECT_THAT(groups_of(fused(kQuantised, asking(false))), ::testing::EndsWith("MatMul+Cast+Mul+Add"));
  EXPECT_THAT(reason_between(fused(kQuantised, asking(false)), "weight", "p"),
              HasSubstr("cpu multiplies no 8-bit numbers as they lie in memory: it reads what Cast has written"));
  EXPECT_THAT(reason_between(fused(kQuantised), "weight", "p"), HasSubstr("none was asked"));
}

TEST(IntegerProductPieces, AreMadeWhereOneOfTheBackendsTakesThem) {
  FusionOptions options = asking(false);
  options.asked.push_back(asking(true).asked.front());
  options.asked.back().backend = "mkl";
  EXPECT_EQ(groups_of(fused(kQuantised, options)), "Cast+Cast+Sub+Cast+MatMul+Cast+Mul+Add");
}

// What makes the 8-bit numbers stays outside: they are a quarter of what their Cast to i32 makes.
TEST(IntegerProductPieces, ReadTheNumbersThatAnotherPieceMakes) {
  const auto result = fused(R"(graph(x: f32[48,48], w: i8[48,48]) { r = Relu(x); q = Cast(r, to="u8"); wide = Cast(q, to="i32");
    weight = Cast(w, to="i32"); p = MatMul(wide, weight); y = Cast(p, to="f32"); return y })",
                            asking(true));
  EXPECT_EQ(groups_of(result), "Relu+Cast Cast+Cast+MatMul+Cast");
  EXPECT_THAT(reason_between(result, "q", "wide"), HasSubstr("only what was fused with it before is computed with it"));
}

TEST(IntegerProductPieces, RepeatACastThatOthersRead) {
  const auto result = fused(R"(graph(x: u8[8,8], w: i8[8,8]) { wide = Cast(x, to="i32"); weight = Cast(w, to="i32");
    p = MatMul(wide, weight); n = Neg(wide); return p, n })",
                            asking(true));
  EXPECT_EQ(groups_of(result), "Cast+Cast+MatMul Cast+Neg");
}

}  // namespace
}  // namespace fuselab
