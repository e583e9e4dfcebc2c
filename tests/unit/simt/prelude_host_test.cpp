// SPDX-License-Identifier: Apache-2.0
// The host prelude's conversions against the reference's own: every 16-bit value there is, and floats where rounding turns.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>

#include "backends/emulator/launch.h"
#include "core/base/random.h"
#include "core/tensor/tensor.h"

namespace fuselab::simt {
namespace {

constexpr const char* kConversions = R"(
extern "C" FL_KERNEL(256) void widen(const unsigned short* x, float* half, float* brain) {
  const int i = (int)(fl_block() * 256) + fl_thread();
  fl_f16 f;
  f.bits = x[i];
  fl_bf16 b;
  b.bits = x[i];
  half[i] = fl_to_f32(f);
  brain[i] = fl_to_f32(b);
}
)";
constexpr const char* kNarrow = R"(
extern "C" FL_KERNEL(256) void narrow(const float* x, fl_f16* half, fl_bf16* brain) {
  const int i = (int)(fl_block() * 256) + fl_thread();
  half[i] = fl_from_f32_f16(x[i]);
  brain[i] = fl_from_f32_bf16(x[i]);
}
)";

constexpr std::int64_t kCount = 65536;

TensorType vector_of(DType dtype) {
  return {dtype, {Dim(kCount)}};
}

Argument argument(const char* name, BufferUse use, int element, std::vector<std::byte> bytes = {}) {
  bytes.resize(static_cast<std::size_t>(kCount * element), std::byte{0xFF});
  return {name, use, element, 64, std::move(bytes)};
}

void launch(const char* entry, const char* body, std::span<Argument> arguments) {
  const KernelText text{entry, body};
  const auto object = KernelObject::compile({&text, 1});
  ASSERT_TRUE(object.ok()) << object.error().message;
  const Outcome outcome = run_launch(*object.value(), 0, {kCount / 256, 256}, arguments);
  ASSERT_EQ(outcome.finding, "");
}

bool same(double a, double b) {
  return (std::isnan(a) && std::isnan(b)) || (a == b && std::signbit(a) == std::signbit(b));
}

TEST(SimtPrelude, WidensEveryHalfAsTheReferenceDoes) {
  std::vector<std::byte> codes(static_cast<std::size_t>(kCount) * 2);
  for (std::size_t i = 0; i < static_cast<std::size_t>(kCount); ++i) {
    const auto code = static_cast<std::uint16_t>(i);
    std::memcpy(codes.data() + 2 * i, &code, 2);
  }
  Argument arguments[] = {argument("x", BufferUse::kRead, 2, codes), argument("half", BufferUse::kWrite, 4),
                          argument("brain", BufferUse::kWrite, 4)};
  launch("widen", kConversions, arguments);
  const DType types[] = {DType::kF16, DType::kBF16};
  for (std::size_t t = 0; t < 2; ++t) {
    const auto expected = unpack(vector_of(types[t]), codes);
    const auto actual = unpack(vector_of(DType::kF32), arguments[t + 1].bytes);
    ASSERT_TRUE(expected.ok() && actual.ok());
    for (std::size_t i = 0; i < static_cast<std::size_t>(kCount); ++i) {
      ASSERT_TRUE(same(expected.value().data[i], actual.value().data[i])) << "code " << i << " of type " << t;
    }
  }
}

TEST(SimtPrelude, NarrowsFloatsAsTheReferenceDoes) {
  SeededRandom random(5);
  RealTensor x{vector_of(DType::kF32), {}};
  for (std::int64_t i = 0; i < kCount; ++i) {
    // Half of them within f16's range and near its ties, the others any bits at all.
    const auto bits = i % 2 == 0 ? static_cast<std::uint32_t>(random.next())
                                 : static_cast<std::uint32_t>(0x32000000 + random.below(0x16000000)) & 0xfffff000U;
    x.data.push_back(std::bit_cast<float>(bits));
  }
  const auto bytes = pack(x);
  Argument arguments[] = {argument("x", BufferUse::kRead, 4, bytes), argument("half", BufferUse::kWrite, 2),
                          argument("brain", BufferUse::kWrite, 2)};
  launch("narrow", kNarrow, arguments);
  const DType types[] = {DType::kF16, DType::kBF16};
  for (std::size_t t = 0; t < 2; ++t) {
    RealTensor expected{vector_of(types[t]), x.data};
    round_to_dtype(expected);
    const auto actual = unpack(vector_of(types[t]), arguments[t + 1].bytes);
    ASSERT_TRUE(actual.ok());
    for (std::size_t i = 0; i < static_cast<std::size_t>(kCount); ++i) {
      ASSERT_TRUE(same(expected.data[i], actual.value().data[i]))
          << x.data[i] << " of type " << t << " is " << actual.value().data[i];
    }
  }
}

}  // namespace
}  // namespace fuselab::simt
