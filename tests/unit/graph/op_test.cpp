// SPDX-License-Identifier: Apache-2.0
#include "core/ops/op.h"

#include <gtest/gtest.h>

#include <set>

namespace fuselab {
namespace {

constexpr int kLastOp = static_cast<int>(Op::kOpaque);

TEST(Op, EveryOperatorHasOneNameAndReadsIt) {
  std::set<std::string_view> names;
  for (int i = 0; i <= kLastOp; ++i) {
    const auto op = static_cast<Op>(i);
    EXPECT_EQ(info_of(op).op, op);
    EXPECT_EQ(parse_op(name_of(op)), op);
    names.insert(name_of(op));
  }
  EXPECT_EQ(names.size(), static_cast<std::size_t>(kLastOp) + 1);
  EXPECT_EQ(parse_op("relu"), std::nullopt);
  EXPECT_EQ(parse_op(""), std::nullopt);
}

TEST(Op, InputCountsMakeSense) {
  for (int i = 0; i <= kLastOp; ++i) {
    const OpInfo& info = info_of(static_cast<Op>(i));
    EXPECT_TRUE(info.max_inputs == -1 || info.max_inputs >= info.min_inputs) << info.name;
    EXPECT_GE(info.flops_per_element, 0) << info.name;
  }
}

TEST(Op, KnowsWhichOperatorsAreElementWise) {
  EXPECT_TRUE(is_elementwise(Op::kIdentity));
  EXPECT_TRUE(is_elementwise(Op::kWhere));
  EXPECT_FALSE(is_elementwise(Op::kSoftmax));
  EXPECT_FALSE(is_elementwise(Op::kMatMul));
  EXPECT_FALSE(is_elementwise(Op::kTranspose));
  EXPECT_FALSE(is_elementwise(Op::kConstant));
}

TEST(Op, KnowsWhichOperatorsOnlyView) {
  EXPECT_TRUE(is_view(Op::kReshape));
  EXPECT_FALSE(is_view(Op::kTranspose));
  EXPECT_FALSE(is_view(Op::kExpand));
}

}  // namespace
}  // namespace fuselab
