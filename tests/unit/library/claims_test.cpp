// SPDX-License-Identifier: Apache-2.0
#include "backends/library/claims.h"

#include <gmock/gmock.h>

#include "core/graph/graph_text.h"

namespace fuselab::library {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::Not;

bool has_two_operands(const Graph&, const Node& node) {
  return node.inputs.size() == 2;
}

constexpr OpFinding kWrong[] = {{Op::kMod, "Lib leaves the tolerance here"},
                                {Op::kErf, "Lib is wrong on AVX-512", SeenOn::kAvx512},
                                {Op::kMax, "Lib forgets the second operand", SeenOn::kAll, has_two_operands}};
constexpr OpLoss kLosesNan[] = {Op::kRelu};
constexpr OpLoss kLosesPrecision[] = {{Op::kGelu, SeenOn::kAvx512}, Op::kLog};
constexpr Claims kClaims{.wrong = kWrong, .loses_nan = kLosesNan, .loses_precision = kLosesPrecision};

Graph one(const std::string& expression) {
  return parse_graph("graph(x: f32[3,4], y: f32[3,4]) { z = " + expression + "; return z }").value();
}

TEST(LibraryClaims, TakeAllButLogicAndWhatIsWrong) {
  const std::vector<Op> operators = kClaims.operators();
  for (const Op op : {Op::kMax, Op::kRelu, Op::kGelu, Op::kMatMul}) EXPECT_THAT(operators, Contains(op)) << name_of(op);
  for (const Op op : {Op::kMod, Op::kAnd, Op::kConstant}) EXPECT_THAT(operators, Not(Contains(op))) << name_of(op);
}

TEST(LibraryClaims, SayWhatIsWrongOfAnOperatorOrOfAForm) {
  EXPECT_TRUE(kClaims.may_hold(one("Relu(x)")).ok());
  EXPECT_EQ(kClaims.may_hold(one("Mod(x, y, fmod=1)")).error().message, "Mod: Lib leaves the tolerance here");
  EXPECT_EQ(kClaims.may_hold(one("Max(x, y)")).error().message, "Max: Lib forgets the second operand");
  EXPECT_TRUE(kClaims.may_hold(one("Max(x)")).ok());
  const Graph empty = parse_graph("graph(x: f32[0]) { z = Relu(x); return z }").value();
  EXPECT_EQ(kClaims.may_hold(empty).error().message, "a tensor without elements");
}

TEST(LibraryClaims, TakeOnlyWhatIsAskedWhereThatIsListed) {
  constexpr Op kAsked[] = {Op::kNeg, Op::kMod};
  const Claims claims{.wrong = kWrong, .asked = kAsked, .not_asked = "it is not asked of Lib"};
  EXPECT_THAT(claims.operators(), ElementsAre(Op::kNeg, Op::kMod));
  EXPECT_STREQ(claims.against(Op::kRelu), "it is not asked of Lib");
  EXPECT_STREQ(claims.against(Op::kMod), "Lib leaves the tolerance here") << "what was seen comes first";
  EXPECT_EQ(claims.against(Op::kConstant), nullptr);
}

TEST(LibraryClaims, HangOnTheInstructionsOfThisProcessor) {
#if defined(__x86_64__)
  const bool wide = __builtin_cpu_supports("avx512f") != 0;
#else
  const bool wide = false;
#endif
  EXPECT_EQ(kClaims.against(Op::kErf) != nullptr, wide);
  EXPECT_EQ(kClaims.drawbacks_in(one("Gelu(x)")).has(Drawback::kPrecisionLoss), wide);
}

TEST(LibraryClaims, NameEveryDrawbackOfAGraph) {
  EXPECT_EQ(kClaims.drawbacks_in(parse_graph("graph(x: f32[3]) { y = Log(x); z = Relu(y); return z }").value()),
            Drawbacks({Drawback::kNanLoss, Drawback::kPrecisionLoss}));
  EXPECT_TRUE(kClaims.drawbacks_in(one("Neg(x)")).empty());
}

}  // namespace
}  // namespace fuselab::library
