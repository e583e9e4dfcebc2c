// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "core/tensor/tensor.h"

namespace fuselab {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

RealTensor tensor(DType dtype, std::vector<double> data) {
  return {{dtype, {Dim(static_cast<std::int64_t>(data.size()))}}, std::move(data)};
}

std::uint32_t code_of(DType dtype, double value) {
  const auto bytes = pack(tensor(dtype, {value}));
  std::uint32_t code = 0;
  std::memcpy(&code, bytes.data(), bytes.size());
  return code;
}

double value_of(DType dtype, std::uint32_t code) {
  std::vector<std::byte> bytes(static_cast<std::size_t>(bits_of(dtype) / 8));
  std::memcpy(bytes.data(), &code, bytes.size());
  const auto read = unpack({dtype, {Dim(1)}}, bytes);
  EXPECT_TRUE(read.ok());
  return read.value().data.at(0);
}

class SmallFloats : public testing::TestWithParam<DType> {};
INSTANTIATE_TEST_SUITE_P(AllFormats, SmallFloats, testing::Values(DType::kF16, DType::kBF16, DType::kF8E4M3, DType::kF8E5M2),
                         [](const auto& format) { return std::string(name_of(format.param)); });

TEST_P(SmallFloats, EveryCodeSurvivesUnpackAndPack) {
  const std::uint32_t codes = 1U << bits_of(GetParam());
  int not_numbers = 0;
  for (std::uint32_t code = 0; code < codes; ++code) {
    const double value = value_of(GetParam(), code);
    if (std::isnan(value)) {
      ++not_numbers;
      EXPECT_TRUE(std::isnan(value_of(GetParam(), code_of(GetParam(), value))));
    } else if (code_of(GetParam(), value) != code) {
      ADD_FAILURE() << std::hex << code << " became " << code_of(GetParam(), value);
    }
  }
  EXPECT_GT(not_numbers, 0);
}

// Between each two neighbours: just below the middle goes down, just above goes up, the middle goes to the even code.
TEST_P(SmallFloats, EveryGapRoundsToNearestEven) {
  const std::uint32_t sign = 1U << (bits_of(GetParam()) - 1);
  for (std::uint32_t code = 0; code + 1 < sign; ++code) {
    const double below = value_of(GetParam(), code), above = value_of(GetParam(), code + 1);
    if (!std::isfinite(below) || !std::isfinite(above)) continue;
    const double middle = (below + above) / 2;
    const std::uint32_t even = code % 2 == 0 ? code : code + 1;
    const bool right = code_of(GetParam(), middle) == even && code_of(GetParam(), std::nextafter(middle, 0)) == code &&
                       code_of(GetParam(), std::nextafter(middle, kInfinity)) == code + 1 &&
                       code_of(GetParam(), -middle) == (even | sign);
    if (!right) ADD_FAILURE() << std::hex << code;
  }
}

#ifdef __FLT16_MANT_DIG__  // Clang has the type only for processors with instructions for it
TEST(Pack, HalfPrecisionMatchesTheCompilersOwnType) {
  for (int exponent = -30; exponent <= 17; ++exponent) {
    for (const double mantissa : {1.0, 1.00048828125, 1.000732421875, 1.5, 1.9995, 1.9999}) {
      const float value = static_cast<float>(std::ldexp(mantissa, exponent));
      const auto expected = std::bit_cast<std::uint16_t>(static_cast<_Float16>(value));
      EXPECT_EQ(code_of(DType::kF16, static_cast<double>(value)), expected) << value;
    }
  }
}
#endif

TEST(Pack, KnownCodes) {
  EXPECT_EQ(code_of(DType::kF16, 1.0), 0x3c00U);
  EXPECT_EQ(code_of(DType::kF16, 65504), 0x7bffU);
  EXPECT_EQ(code_of(DType::kF16, 65519.99), 0x7bffU);
  EXPECT_EQ(code_of(DType::kF16, 65520), 0x7c00U);
  EXPECT_EQ(code_of(DType::kF16, -0.0), 0x8000U);
  EXPECT_EQ(code_of(DType::kF16, 0x1p-25), 0U);
  EXPECT_EQ(code_of(DType::kF16, 0x1.8p-25), 1U);
  EXPECT_EQ(code_of(DType::kBF16, 1.0), 0x3f80U);
  EXPECT_EQ(code_of(DType::kBF16, -kInfinity), 0xff80U);
  EXPECT_EQ(code_of(DType::kF8E5M2, 57344), 0x7bU);
  EXPECT_EQ(code_of(DType::kF8E5M2, kInfinity), 0x7cU);
}

// OCP 8-bit floating point specification: E4M3 has no infinities, 448 is the largest and S.1111.111 is NaN.
TEST(Pack, E4M3SaturatesAndHasOneNaN) {
  EXPECT_EQ(value_of(DType::kF8E4M3, 0x7e), 448);
  EXPECT_TRUE(std::isnan(value_of(DType::kF8E4M3, 0x7f)));
  EXPECT_EQ(value_of(DType::kF8E4M3, 0x01), 0x1p-9);
  EXPECT_EQ(code_of(DType::kF8E4M3, 1000), 0x7eU);
  EXPECT_EQ(code_of(DType::kF8E4M3, -kInfinity), 0xfeU);
  EXPECT_EQ(code_of(DType::kF8E4M3, std::nan("")), 0x7fU);
}

TEST(Pack, IntegersRoundToEvenAndSaturate) {
  RealTensor values = tensor(DType::kI8, {0.5, 1.5, -2.5, 300, -300, std::nan("")});
  round_to_dtype(values);
  EXPECT_EQ(values.data, (std::vector<double>{0, 2, -2, 127, -128, 0}));
  values = tensor(DType::kU8, {-1, 255.4, 256});
  round_to_dtype(values);
  EXPECT_EQ(values.data, (std::vector<double>{0, 255, 255}));
  values = tensor(DType::kI64, {1e300, -1e300, 12345678901.0});
  round_to_dtype(values);
  EXPECT_EQ(values.data, (std::vector<double>{0x1p63, -0x1p63, 12345678901.0}));
  values = tensor(DType::kU64, {1e300, -1, 0x1p63, 12345678901.0});
  round_to_dtype(values);
  EXPECT_EQ(values.data, (std::vector<double>{0x1p64, 0, 0x1p63, 12345678901.0}));
  values = tensor(DType::kU32, {1e10, -1, 4294967295.0});
  round_to_dtype(values);
  EXPECT_EQ(values.data, (std::vector<double>{4294967295.0, 0, 4294967295.0}));
  values = tensor(DType::kI16, {40000, -40000, 7});
  round_to_dtype(values);
  EXPECT_EQ(values.data, (std::vector<double>{32767, -32768, 7}));
  values = tensor(DType::kBool, {0, 2, -0.5});
  round_to_dtype(values);
  EXPECT_EQ(values.data, (std::vector<double>{0, 1, 1}));
}

TEST(Pack, WideIntegersComeBackAsTheyWent) {
  for (const DType dtype : {DType::kU64, DType::kU32, DType::kU16, DType::kI16, DType::kI32}) {
    const RealTensor values = tensor(dtype, {0, 1, is_unsigned(dtype) ? 65535.0 : -32768.0, 32767});
    const auto back = unpack(values.type, pack(values));
    ASSERT_TRUE(back.ok()) << name_of(dtype);
    EXPECT_EQ(back.value().data, values.data) << name_of(dtype);
  }
  const RealTensor far = tensor(DType::kU64, {0x1p63, 0x1p63 + 4096});
  EXPECT_EQ(unpack(far.type, pack(far)).value().data, far.data);
  const RealTensor top = tensor(DType::kU32, {4294967295.0});
  EXPECT_EQ(unpack(top.type, pack(top)).value().data, top.data);
}

TEST(Pack, FourBitTypesPutTheLowNibbleFirst) {
  const auto bytes = pack(tensor(DType::kI4, {1, -1, -8}));
  ASSERT_EQ(bytes.size(), 2U);
  EXPECT_EQ(bytes[0], std::byte{0xf1});
  EXPECT_EQ(bytes[1], std::byte{0x08});
  const auto back = unpack({DType::kI4, {Dim(3)}}, bytes);
  ASSERT_TRUE(back.ok());
  EXPECT_EQ(back.value().data, (std::vector<double>{1, -1, -8}));
  EXPECT_EQ(pack(tensor(DType::kU4, {15, 3}))[0], std::byte{0x3f});
}

TEST(Pack, EveryDtypeReadsBackWhatItWrote) {
  for (const DType dtype : kAllDTypes) {
    const RealTensor values = tensor(dtype, {1, 0, 1, 1, 0});
    const auto back = unpack(values.type, pack(values));
    ASSERT_TRUE(back.ok()) << name_of(dtype);
    EXPECT_EQ(back.value().data, values.data) << name_of(dtype);
  }
}

TEST(Pack, WrongNumberOfBytesIsAnError) {
  const auto read = unpack({DType::kF32, {Dim(2)}}, std::vector<std::byte>(7));
  ASSERT_FALSE(read.ok());
  EXPECT_EQ(read.error().code, ErrorCode::kCorrupt);
}

}  // namespace
}  // namespace fuselab
