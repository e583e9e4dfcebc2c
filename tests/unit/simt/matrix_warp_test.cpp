// SPDX-License-Identifier: Apache-2.0
// Matrices of a warp and asynchronous parts of copies: what they give, and what the executor finds when they are used wrongly.
#include <cmath>

#include "core/base/random.h"
#include "tests/unit/simt/matrix_trial.h"

namespace fuselab::simt {
namespace {

constexpr const char* kMatrices =
    R"(extern "C" FL_KERNEL(32, 1) void k(const fl_bf16* x, unsigned* plain, unsigned* turned, fl_bf16* back) {
  FL_SHARED(fl_bf16, tile, 256);
  FL_SHARED(fl_bf16, out, 256);
  const int lane = fl_lane();
  fl_store<fl_bf16, 8>(tile + lane * 8, fl_load<fl_bf16, 8>(x + lane * 8));
  fl_warp_barrier();  // the tile
  unsigned four[4];
  fl_load_matrices(four, tile + lane * 8);
  for (int i = 0; i < 4; ++i) plain[i * 32 + lane] = four[i];
  fl_store_matrices(out + lane * 8, four);
  fl_load_matrices_turned(four, tile + lane * 8);
  for (int i = 0; i < 4; ++i) turned[i * 32 + lane] = four[i];
  fl_warp_barrier();  // the result
  fl_store<fl_bf16, 8>(back + lane * 8, fl_load<fl_bf16, 8>(out + (31 - lane) * 8));
}
)";

std::vector<std::uint16_t> numbered(std::size_t count) {
  std::vector<std::uint16_t> values(count);
  for (std::size_t i = 0; i < count; ++i) values[i] = static_cast<std::uint16_t>(i);
  return values;
}

MatrixTrial matrices() {
  return {"k",
          kMatrices,
          {1, 32},
          {given("x", numbered(256)), wanted<unsigned>("plain", 128), wanted<unsigned>("turned", 128),
           wanted<std::uint16_t>("back", 256)}};
}

bool matrices_are_right(const Arguments& arguments) {
  const auto plain = values_of<unsigned>(arguments[1]), turned = values_of<unsigned>(arguments[2]);
  const auto back = values_of<std::uint16_t>(arguments[3]);
  for (unsigned i = 0; i < 4; ++i) {
    for (unsigned lane = 0; lane < 32; ++lane) {
      const auto element = [&](unsigned row, unsigned column) { return 64 * i + 8 * row + column; };
      const unsigned near = lane / 4, far = lane % 4 * 2;
      if (plain[i * 32 + lane] != (element(near, far) | element(near, far + 1) << 16)) return false;
      if (turned[i * 32 + lane] != (element(far, near) | element(far + 1, near) << 16)) return false;
    }
  }
  for (std::size_t i = 0; i < 256; ++i) {
    if (back[i] != (31 - i / 8) * 8 + i % 8) return false;
  }
  return true;
}

TEST(SimtMatrices, AreLoadedTurnedAndStored) {
  const Outcome outcome = expect_right(matrices(), [](const Arguments& got) { EXPECT_TRUE(matrices_are_right(got)); });
  EXPECT_EQ(outcome.rows_banks.passes, 12);
  EXPECT_EQ(outcome.rows_banks.conflicts, 0);
}

TEST(SimtMatrices, AreLoadedFromWhereAWarpMayReadThem) {
  expect_found(
      matrices(),
      {{"  fl_warp_barrier();  // the tile\n", "", "no barrier between them|which no thread of this block has written"},
       {"  fl_warp_barrier();  // the result\n", "", "no barrier between them|which no thread of this block has written"},
       {"four, tile + lane * 8);", "four, tile + lane * 8 + 4);", "thread .* accesses a vector of 16 bytes at a misaligned"},
       {"four, tile + lane * 8);", "four, tile + lane * 8 + 64);", "reads 16 bytes out of bounds"},
       {"  fl_load_matrices(", "  if (lane < 16) fl_load_matrices(", "wait .* for the other threads|belong together part ways"},
       {"fl_store_matrices(out + lane * 8", "fl_store_matrices(out + lane / 2 * 16", "writes out.* no barrier between them"},
       {"fl_load_matrices(four", "fl_load_matrices_turned(four", ""},
       {"fl_load_matrices_turned(four", "fl_load_matrices(four", ""}},
      matrices_are_right);
}

// Rows of 128 bytes: the parts of eight rows that are loaded at once lie in the same banks, unless they are swizzled.
TEST(SimtMatrices, AreCountedWhereTheyMeetInTheSameBanks) {
  const std::string rows = R"(extern "C" FL_KERNEL(32) void k(unsigned* y) {
  FL_SHARED(fl_bf16, tile, 32 * 64);
  const int lane = fl_lane();
  for (int i = 0; i < 64; ++i) tile[lane * 64 + i].bits = 0;
  fl_warp_barrier();
  unsigned four[4];
  fl_load_matrices(four, tile + lane * 64 + PART * 8);
  fl_load_matrices(four, tile + ROW * 64);
  y[lane] = four[0];
}
)";
  const auto conflicts = [&](const std::string& part, const std::string& row) {
    const MatrixTrial trial{"k", changed(changed(rows, "PART", part), "ROW", row), {1, 32}, {wanted<unsigned>("y", 32)}};
    const BankCount banks = expect_right(trial, [](const Arguments&) {}).rows_banks;
    EXPECT_EQ(banks.passes, 8);
    return banks.conflicts;
  };
  EXPECT_EQ(conflicts("(lane & 7)", "0"), 0);  // all rows the same one: it is read once
  EXPECT_EQ(conflicts("0", "0"), 28);
  EXPECT_EQ(conflicts("(lane & 3)", "lane % 2"), 4 + 4);
}

// Each kind of product, operands placed as the vendor's manual numbers them; whole numbers, so that any sum is exact.
struct Fragments {
  std::vector<signed char> a = std::vector<signed char>(512), b = std::vector<signed char>(256);
  Fragments() {
    SeededRandom random(5);
    for (signed char& each : a) each = static_cast<signed char>(static_cast<int>(random.below(17)) - 8);
    for (signed char& each : b) each = static_cast<signed char>(static_cast<int>(random.below(17)) - 8);
  }
  MatrixTrial trial() const {
    return {"primitive",
            kernel_file("device/primitives/texts/fragments.cu"),
            {1, 32},
            {given("a", a), given("b", b), wanted<float>("d", 512), wanted<float>("rounding", 1)}};
  }
  bool is_right(const Arguments& arguments) const {
    const auto d = values_of<float>(arguments[2]);
    constexpr std::size_t kDepths[] = {16, 16, 8, 32};
    for (std::size_t i = 0; i < 512; ++i) {
      float sum = 0;
      for (std::size_t k = 0; k < kDepths[i / 128]; ++k) sum += static_cast<float>(a[i % 128 / 8 * 32 + k] * b[k * 8 + i % 8]);
      if (d[i] != sum) return false;
    }
    return true;
  }
};

TEST(SimtMatrices, AreMultipliedAsTheManualNumbersTheirElements) {
  const Fragments fragments;
  expect_right(fragments.trial(), [&](const Arguments& got) {
    EXPECT_TRUE(fragments.is_right(got));
    EXPECT_EQ(values_of<float>(got[3]).front(), 1.0F + 0x1p-23F);
  });
  expect_found(fragments.trial(),
               {{"i < 4 || (i >= 8 && i < 12) ? group : group + 8", "i < 8 ? group : group + 8", ""},
                {"i == 0 || i == 2 ? group", "i < 2 ? group", ""},
                {"const int row = in_group * 2 + (i < 2 ? 0 : 8);", "const int row = in_group * 2 + (i < 2 ? 8 : 0);", ""},
                {"left, right[0], right[1]);\n    } else", "left, right[1], right[0]);\n    } else", ""},
                {"  fl_multiply_i8(", "  if (lane != 7) fl_multiply_i8(", "belong together part ways"}},
               [&](const Arguments& got) { return fragments.is_right(got); });
}

constexpr const char* kNumbers = R"(extern "C" FL_KERNEL(32) void k(const float* x, unsigned* packed, float* tf32, float* exp2) {
  const int lane = fl_lane();
  packed[lane] = fl_pack_bf16(x[lane], x[31 - lane]);
  tf32[lane] = fl_of_bits(fl_round_tf32(x[lane]));
  exp2[lane] = fl_exp2_fast(x[lane]);
}
)";

TEST(SimtMatrices, HaveNumbersOfTheirOwn) {
  std::vector<float> x(32, 1.0F);
  const float special[] = {0.0F,    -0.0F, 1.0F + 0x1p-11F, -1.0F - 0x1p-11F, 1.0F + 0x1p-12F, INFINITY, -INFINITY, NAN,
                           -140.0F, 3.5F};
  std::copy(std::begin(special), std::end(special), x.begin());
  const MatrixTrial trial{"k",
                          kNumbers,
                          {1, 32},
                          {given("x", x), wanted<unsigned>("packed", 32), wanted<float>("tf32", 32), wanted<float>("exp2", 32)}};
  expect_right(trial, [&](const Arguments& got) {
    const auto packed = values_of<unsigned>(got[1]);
    const auto tf32 = values_of<float>(got[2]), exp2 = values_of<float>(got[3]);
    EXPECT_EQ(packed[9], bf16_of(3.5F) | static_cast<unsigned>(bf16_of(1.0F)) << 16);
    EXPECT_EQ(tf32[2], 1.0F + 0x1p-10F);  // ties go away from zero
    EXPECT_EQ(tf32[3], -1.0F - 0x1p-10F);
    EXPECT_EQ(tf32[4], 1.0F);
    EXPECT_EQ(tf32[5], INFINITY);
    EXPECT_TRUE(std::isnan(tf32[7]) && std::isnan(exp2[7]));
    EXPECT_EQ(exp2[5], INFINITY);
    EXPECT_EQ(exp2[6], 0.0F);
    EXPECT_EQ(exp2[8], 0.0F);  // no denormals
    EXPECT_FLOAT_EQ(exp2[9], 11.313708F);
  });
}

constexpr const char* kParts = R"(extern "C" FL_KERNEL(32) void k(const float* x, float* y) {
  FL_SHARED(float, s, 128);
  const int lane = fl_lane(), left = 404 - lane * 16, valid = left < 0 ? 0 : left < 16 ? left : 16;
  fl_copy_async_part(s + lane * 4, valid > 0 ? x + lane * 4 : x, valid);
  fl_copy_async_commit();
  fl_copy_async_wait<0>();
  fl_barrier();
  fl_store<float, 4>(y + lane * 4, fl_load<float, 4>(s + (lane ^ 1) * 4));
}
)";

TEST(SimtMatrices, ArriveInPartsWithZerosBehindTheTensor) {
  std::vector<float> x(101);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i + 1);
  const MatrixTrial trial{"k", kParts, {1, 32}, {given("x", x), wanted<float>("y", 128)}};
  const auto is_right = [&](const Arguments& got) {
    const auto y = values_of<float>(got[1]);
    for (std::size_t i = 0; i < y.size(); ++i) {
      const std::size_t from = i ^ 4;
      if (y[i] != (from < x.size() ? x[from] : 0.0F)) return false;
    }
    return true;
  };
  expect_right(trial, [&](const Arguments& got) { EXPECT_TRUE(is_right(got)); });
  expect_found(trial,
               {{"  fl_copy_async_wait<0>();\n", "", "has not been waited for"},
                {"wait<0>", "wait<1>", "has not been waited for"},
                {"  fl_barrier();\n", "", "no barrier between them|which no thread|has not been waited for"},
                {"x, valid)", "x, 16)", "out of bounds"},
                {"? x + lane * 4", "? x + lane * 4 + 1", "misaligned"},
                {"x, valid)", "x, valid * 2)", "copies 32 of 16 bytes"}},
               is_right);
}

}  // namespace
}  // namespace fuselab::simt
