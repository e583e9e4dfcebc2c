// SPDX-License-Identifier: Apache-2.0
#include "core/kernel/abi.h"

#include <gmock/gmock.h>

namespace fuselab {
namespace {

using testing::HasSubstr;

std::int64_t value_of(const std::string& text) {
  const auto result = DimFormula{text}.evaluate({{"rows", 10}, {"cols", 7}});
  EXPECT_TRUE(result.ok()) << text;
  return result.ok() ? result.value() : -999;
}

std::string error_of(const std::string& text) {
  const auto result = DimFormula{text}.evaluate({{"rows", 10}, {"cols", 7}});
  return result.ok() ? "no error" : result.error().message;
}

TEST(DimFormula, EvaluatesWithTheUsualPrecedence) {
  EXPECT_EQ(value_of("1"), 1);
  EXPECT_EQ(value_of("2 + 3 * 4"), 14);
  EXPECT_EQ(value_of("(2 + 3) * 4"), 20);
  EXPECT_EQ(value_of("10 - 3 - 2"), 5);
  EXPECT_EQ(value_of("20 / 3 / 2"), 3);
  EXPECT_EQ(value_of("-rows + 3"), -7);
  EXPECT_EQ(value_of("3 - -2"), 5);
}

TEST(DimFormula, KnowsItsFunctionsAndDimensions) {
  EXPECT_EQ(value_of("ceil_div(rows, 4) * cols"), 21);
  EXPECT_EQ(value_of("ceil_div(8, 4)"), 2);
  EXPECT_EQ(value_of("ceil_div(-7, 2)"), -3);
  EXPECT_EQ(value_of("min(rows, cols)"), 7);
  EXPECT_EQ(value_of("max(rows, ceil_div(cols, 2))"), 10);
}

TEST(DimFormula, OverflowAndDivisionByZeroAreErrors) {
  EXPECT_THAT(error_of("9223372036854775807 + 1"), HasSubstr("64 bits"));
  EXPECT_THAT(error_of("9223372036854775807 * rows"), HasSubstr("64 bits"));
  EXPECT_THAT(error_of("-9223372036854775807 - 2"), HasSubstr("64 bits"));
  EXPECT_THAT(error_of("(-9223372036854775807 - 1) / -1"), HasSubstr("64 bits"));
  EXPECT_THAT(error_of("99999999999999999999"), HasSubstr("64 bits"));
  EXPECT_THAT(error_of("rows / (cols - 7)"), HasSubstr("division by zero"));
  EXPECT_THAT(error_of("ceil_div(rows, 0)"), HasSubstr("division by zero"));
}

TEST(DimFormula, ErrorsNameThePlaceAndWhatIsKnown) {
  EXPECT_THAT(error_of("batch * 2"), HasSubstr("unknown dimension 'batch'; known: cols, rows"));
  EXPECT_THAT(error_of("pow(2, 3)"), HasSubstr("unknown function 'pow'"));
  EXPECT_THAT(error_of("rows +"), HasSubstr("column 7, got the end"));
  EXPECT_THAT(error_of("rows cols"), HasSubstr("column 6, got 'c'"));
  EXPECT_THAT(error_of("(rows"), HasSubstr("expected ')'"));
  EXPECT_THAT(error_of(""), HasSubstr("got the end"));
}

TEST(DimFormula, UntrustedNestingIsBounded) {
  EXPECT_THAT(error_of(std::string(100000, '(') + "1"), HasSubstr("nested deeper"));
  EXPECT_THAT(error_of(std::string(100000, '-') + "1"), HasSubstr("nested deeper"));
}

TEST(TensorMapArgument, IsCheckedFieldByField) {
  const auto refused = [](auto&& change) {
    TensorMapArgument map{3, DType::kBF16, {40, 9, 5}, {80, 720}, {32, 8, 4}, 64};
    change(map);
    const Status fits = check_tensor_map(map, 3600);
    return fits.ok() ? "" : fits.error().message.substr(fits.error().message.find(": ") + 2);
  };
  using Map = TensorMapArgument;
  EXPECT_EQ(refused([](Map&) {}), "");
  EXPECT_EQ(refused([](Map& map) { map.extents[2] = 6; }), "it reaches past the 3600 bytes of its buffer");
  EXPECT_EQ(refused([](Map& map) { map.extents[0] = 41; }), "it reaches past the 3600 bytes of its buffer");
  EXPECT_EQ(refused([](Map& map) { map.extents[1] = std::int64_t{1} << 62; }), "the extent of axis 1 is 4611686018427387904");
  EXPECT_EQ(refused([](Map& map) { map.extents[1] = 0; }), "the extent of axis 1 is 0");
  EXPECT_EQ(refused([](Map& map) { map.box[2] = 257; }), "the box of axis 2 is 257 elements, 256 are the most");
  EXPECT_EQ(refused([](Map& map) { map.strides[0] = 88; }),
            "the stride of axis 1 is 88 bytes, which is no multiple of 16 below 2^40");
  EXPECT_EQ(refused([](Map& map) { map.box[0] = 12; }), "a row of its box has 24 bytes, no multiple of 16");
  EXPECT_EQ(refused([](Map& map) { map.box[0] = 40; }), "a row of its box has 80 bytes, its swizzle is 64");
  EXPECT_EQ(refused([](Map& map) { map.swizzle = 16; }), "its swizzle is 16 bytes, not 32, 64 or 128");
  EXPECT_EQ(refused([](Map& map) { map.box.pop_back(); }), "it has 3 extents, 2 strides and a box of 2 axes");
  EXPECT_EQ(refused([](Map& map) { map.element = DType::kI4; }), "its elements are i4");
  EXPECT_EQ(refused([](Map& map) { map = {0, DType::kF32, {}, {}, {}, 0}; }), "it has 0 extents, 0 strides and a box of 0 axes");
}

TEST(BufferRole, EveryRoleReadsItsOwnName) {
  for (const auto role :
       {BufferRole::kIn, BufferRole::kOut, BufferRole::kInOut, BufferRole::kScratch, BufferRole::kProviderOwned}) {
    const auto parsed = parse_buffer_role(name_of(role));
    ASSERT_TRUE(parsed.ok());
    EXPECT_EQ(parsed.value(), role);
  }
  EXPECT_THAT(parse_buffer_role("through").error().message, HasSubstr("known: in, out"));
}

}  // namespace
}  // namespace fuselab
