// SPDX-License-Identifier: Apache-2.0
// A whole product of matrices by tensor cores, texts/gemm_mma.cu: right with tails in every direction, defects found, no two rows
// in the same banks.
#include <algorithm>
#include <cmath>

#include "core/base/random.h"
#include "tests/unit/simt/matrix_trial.h"

namespace fuselab::simt {
namespace {

struct Gemm {
  int m, n, k;
  std::vector<std::uint16_t> a, b;
  std::vector<float> bias;

  Gemm(int rows, int columns, int depth) : m(rows), n(columns), k(depth) {
    a = random_bf16(static_cast<std::size_t>(m * k), 11);
    b = random_bf16(static_cast<std::size_t>(k * n), 12);
    SeededRandom random(13);
    for (int i = 0; i < n; ++i) bias.push_back(static_cast<float>(random.unit() * 2 - 1));
  }
  MatrixTrial trial() const {
    const std::string shape = std::to_string(m) + ", " + std::to_string(n) + ", " + std::to_string(k);
    constexpr int kTile = 128, kBlock = 128, kSharedBytes = 4 * (128 * 32 + 32 * 128) * 2;
    return {"gemm",
            "#undef FL_SHAPE\n#define FL_SHAPE " + shape + "\n" + kernel_file("unit/simt/texts/gemm_mma.cu"),
            {(m + kTile - 1) / kTile * ((n + kTile - 1) / kTile), kBlock, kSharedBytes},
            {given("a", a), given("b", b), given("bias", bias), wanted<std::uint16_t>("y", static_cast<std::size_t>(m * n))}};
  }
  // In units of the last place of the result, or of a result of size 1.
  double worst(const Arguments& got) const {
    const auto y = values_of<std::uint16_t>(got[3]);
    double most = 0;
    for (int i = 0; i < m * n; ++i) {
      double sum = bias[static_cast<std::size_t>(i % n)];
      for (int step = 0; step < k; ++step) {
        sum += static_cast<double>(bf16_value(a[static_cast<std::size_t>(i / n * k + step)])) *
               bf16_value(b[static_cast<std::size_t>(step * n + i % n)]);
      }
      sum = std::max(sum, 0.0);
      const double unit = std::ldexp(1.0, std::ilogb(std::max(sum, 1.0)) - 7);
      const double error = std::fabs(bf16_value(y[static_cast<std::size_t>(i)]) - sum) / unit;
      most = std::isnan(error) ? INFINITY : std::max(most, error);
    }
    return most;
  }
};

constexpr double kRounded = 0.501;  // to the nearest, and a little for sums in another order

TEST(SimtGemm, MultipliesWithTailsInEveryDirection) {
  for (const Gemm& gemm : {Gemm(128, 128, 64), Gemm(136, 136, 104), Gemm(1, 8, 8), Gemm(70, 264, 40)}) {
    const Outcome outcome = expect_right(gemm.trial(), [&](const Arguments& got) { EXPECT_LE(gemm.worst(got), kRounded); });
    EXPECT_GT(outcome.rows_banks.passes, 0);
    EXPECT_EQ(outcome.rows_banks.conflicts, 0);
  }
}

TEST(SimtGemm, IsFoundToMultiplyWrongly) {
  const Gemm gemm(136, 136, 200);
  constexpr const char* kUnordered = "no barrier between them|has not been waited for|which no thread of this block has written";
  expect_found(gemm.trial(),
               {{"    fl_barrier();  // the stage", "    // the stage", kUnordered},
                {"wait<kStages - 2>", "wait<kStages - 1>", "has not been waited for"},
                {"if (step + kStages - 1 < kSteps) fetch(step + kStages - 1);",
                 "if (step + kStages < kSteps) fetch(step + kStages);", kUnordered},
                {"step % kStages * (kTileM * kTileK);\n    fl_bf16* const to_b",
                 "(step + 1) % kStages * (kTileM * kTileK);\n    fl_bf16* const to_b", kUnordered},
                {"from_b + b_part(k + lane % 16,", "from_b + b_part(k + (lane % 16 ^ 1),", ""},
                {"fl_load_matrices_turned", "fl_load_matrices", ""},
                {"right[j / 2][j % 2 * 2], right[j / 2][j % 2 * 2 + 1]", "right[j / 2][j % 2], right[j / 2][j % 2 + 2]", ""},
                {"const bool inside = m0 + row < kM && k < kK;", "const bool inside = m0 + row < kM;", "past the end of buffer a"},
                {"const bool inside = m0 + row < kM && k < kK;", "const bool inside = k < kK;", "buffer a"},
                {"if (row >= kM) continue;", "", "past the end of buffer y"},
                {"step < kSteps; ++step) {\n    fl_copy", "step < kSteps - 1; ++step) {\n    fl_copy", ""}},
               [&](const Arguments& got) { return gemm.worst(got) <= kRounded; });
}

// Right, but slow: nothing but the count shows it.
TEST(SimtGemm, CountsWhatAMissingSwizzleCosts) {
  const Gemm gemm(128, 128, 64);
  MatrixTrial trial = gemm.trial();
  trial.body = changed(trial.body, "part ^ (step & 7)) * 8;", "part) * 8;");
  const Outcome outcome = expect_right(trial, [&](const Arguments& got) { EXPECT_LE(gemm.worst(got), kRounded); });
  EXPECT_GT(outcome.rows_banks.conflicts, outcome.rows_banks.passes);
}

}  // namespace
}  // namespace fuselab::simt
