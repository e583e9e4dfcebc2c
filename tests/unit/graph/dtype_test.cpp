// SPDX-License-Identifier: Apache-2.0
#include "core/types/dtype.h"

#include <gtest/gtest.h>

namespace fuselab {
namespace {

TEST(DType, ReadsItsOwnName) {
  for (const DType dtype : kAllDTypes) {
    EXPECT_FALSE(name_of(dtype).empty());
    EXPECT_EQ(parse_dtype(name_of(dtype)), dtype);
  }
  EXPECT_EQ(parse_dtype("float32"), std::nullopt);
  EXPECT_EQ(parse_dtype(""), std::nullopt);
}

TEST(DType, KnowsBitsAndKind) {
  EXPECT_EQ(bits_of(DType::kF64), 64);
  EXPECT_EQ(bits_of(DType::kBF16), 16);
  EXPECT_EQ(bits_of(DType::kF8E5M2), 8);
  EXPECT_EQ(bits_of(DType::kU4), 4);
  EXPECT_EQ(bits_of(DType::kBool), 8);
  EXPECT_EQ(bits_of(DType::kU64), 64);
  EXPECT_EQ(bits_of(DType::kI16), 16);
  EXPECT_TRUE(is_unsigned(DType::kU32));
  EXPECT_FALSE(is_unsigned(DType::kI16));
  EXPECT_FALSE(is_unsigned(DType::kBool));
  EXPECT_TRUE(is_floating(DType::kF8E4M3));
  EXPECT_FALSE(is_floating(DType::kI4));
  EXPECT_FALSE(is_floating(DType::kBool));
}

TEST(DType, PacksTwoFourBitElementsInAByte) {
  EXPECT_EQ(packed_size(DType::kI4, 0).count, 0);
  EXPECT_EQ(packed_size(DType::kI4, 1).count, 1);
  EXPECT_EQ(packed_size(DType::kI4, 2).count, 1);
  EXPECT_EQ(packed_size(DType::kI4, 3).count, 2);
  EXPECT_EQ(packed_size(DType::kF16, 3).count, 6);
  EXPECT_EQ(packed_size(DType::kF64, std::int64_t{1} << 40).count, std::int64_t{1} << 43);
}

}  // namespace
}  // namespace fuselab
