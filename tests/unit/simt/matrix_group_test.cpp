// SPDX-License-Identifier: Apache-2.0
// Products of a warpgroup: matrices from shared memory or registers, along depth or turned, 128 or 256 columns.
#include "tests/unit/simt/matrix_trial.h"

namespace fuselab::simt {
namespace {

constexpr int kLines = 64, kDepth = 64;

// The threads store a, swizzled; the engine brings b.
constexpr const char* kProduct =
    R"(extern "C" FL_KERNEL(128, 1) void k(FL_TENSOR_MAP(b_map), const fl_bf16* a, float* y, const fl_bf16* b) {
  FL_ALIGNED_SHARED(fl_bf16, left, 64 * 64, 0);
  FL_ALIGNED_SHARED(fl_bf16, right, 64 * COLUMNS, 8192);
  FL_ALIGNED_SHARED(unsigned long long, full, 1, 8192 + 128 * COLUMNS);
  const int thread = fl_thread(), lane = fl_lane(), warp = fl_warp();
  if (thread == 0) {
    fl_phase_init(full, 1);
    fl_phase_publish();
    fl_phase_expect(full, 128 * COLUMNS);
    COPIES
  }
  for (int i = thread; i < 512; i += 128)
    fl_store<fl_bf16, 8>(left + i / 8 * 64 + (i % 8 ^ i / 8 % 8) * 8, fl_load<fl_bf16, 8>(a + i * 8));
  fl_engine_fence();
  fl_barrier();  // the left matrix
  fl_registers_more<232>();
  fl_phase_wait(full, 0);
  float sums[COLUMNS / 2];
  unsigned held[4][4];
  const int row = warp * 16 + lane % 16;
  for (int k = 0; k < 4; ++k) fl_load_matrices(held[k], left + row * 64 + ((k * 2 + lane / 16) ^ (row & 7)) * 8);
  fl_group_fence();
  for (int k = 0; k < 64; k += 16) fl_group_multiply_bf16_COLUMNS<TURNED>(sums, LEFT, RIGHT, k != 0);
  fl_group_commit();
  fl_group_wait<0>();
  fl_registers_fewer<40>();
  for (int i = 0; i < COLUMNS / 2; ++i)
    y[(warp * 16 + lane / 4 + i / 2 % 2 * 8) * COLUMNS + i / 4 * 8 + lane % 4 * 2 + i % 2] = sums[i];
}
)";

constexpr const char* kPlacedLeft = "fl_matrix_place(left + k, 1024, 16)";
constexpr const char* kHeldLeft = "held[k / 16]";
constexpr const char* kPlainRight = "fl_matrix_place(right + k, 1024, 16)";
constexpr const char* kTurnedRight = "fl_matrix_place(right + k * 64, 1024, 8192)";

struct Product {
  int columns = 128;
  bool turned = false;
  bool held = false;
  std::vector<std::uint16_t> a = random_bf16(kLines * kDepth, 1), b = random_bf16(static_cast<std::size_t>(kDepth * 256), 2);

  MatrixTrial trial() const {
    std::string copies;
    for (int i = 0; turned && i < columns; i += 64)
      copies += "fl_copy_box(right + " + std::to_string(i * 64) + ", b_map, " + std::to_string(i) + ", 0, full);";
    for (int i = 0; !turned && i < columns; i += 128)
      copies += "fl_copy_box(right + " + std::to_string(i * 64) + ", b_map, 0, " + std::to_string(i) + ", full);";
    std::string text = kProduct;
    for (const auto& [word, by] : {std::pair<std::string, std::string>("COPIES", copies),
                                   {"TURNED", turned ? "1" : "0"},
                                   {"LEFT", held ? kHeldLeft : kPlacedLeft},
                                   {"RIGHT", turned ? kTurnedRight : kPlainRight}})
      text = changed(text, word, by);
    while (text.find("COLUMNS") != std::string::npos) text = changed(text, "COLUMNS", std::to_string(columns));
    // b's rows are steps of depth where it is turned, else columns of the result.
    const TensorMap map = turned ? map_of(columns, kDepth, 64, 64) : map_of(kDepth, columns, 64, 128);
    const auto all = static_cast<std::ptrdiff_t>(kDepth) * columns;
    return {"k",
            text,
            {1, 128, 8192 + 128 * columns + 8},
            {map_argument(map, 3), given("a", a), wanted<float>("y", static_cast<std::size_t>(kLines * columns)),
             given("b", std::vector<std::uint16_t>(b.begin(), b.begin() + all))}};
  }
  bool is_right(const Arguments& got) const {
    const auto y = values_of<float>(got[2]);
    for (int i = 0; i < kLines * columns; ++i) {
      double sum = 0;
      for (int k = 0; k < kDepth; ++k) {
        const int of_b = turned ? k * columns + i % columns : i % columns * kDepth + k;
        sum += static_cast<double>(bf16_value(a[static_cast<std::size_t>(i / columns * kDepth + k)])) *
               bf16_value(b[static_cast<std::size_t>(of_b)]);
      }
      const double error = y[static_cast<std::size_t>(i)] - sum;
      if (!(error < 1e-5 && error > -1e-5)) return false;
    }
    return true;
  }
};

TEST(SimtWarpgroups, MultiplyFromSharedMemoryAndRegisters) {
  for (const bool turned : {false, true}) {
    for (const bool held : {false, true}) {
      const Product product{.columns = 128, .turned = turned, .held = held};
      const Outcome outcome = expect_right(product.trial(), [&](const Arguments& got) { EXPECT_TRUE(product.is_right(got)); });
      EXPECT_EQ(outcome.rows_banks.conflicts, 0);
    }
    const Product wide{.columns = 256, .turned = turned};
    expect_right(wide.trial(), [&](const Arguments& got) { EXPECT_TRUE(wide.is_right(got)); });
  }
}

TEST(SimtWarpgroups, AreFoundToMultiplyWrongly) {
  const Product product{.columns = 128, .turned = true};
  expect_found(product.trial(),
               {{"  fl_group_wait<0>();\n", "", ""},
                {"  fl_group_wait<0>();\n", "  fl_group_wait<1>();\n", ""},
                {"  fl_group_commit();\n", "", ""},
                {"  fl_group_fence();\n", "", "fl_group_fence is missing"},
                {"left + k, 1024", "left + k, 512", ""},
                {"1024, 8192)", "1024, 4096)", ""},
                {"bf16_128<1>", "bf16_128<0>", "past the end of shared array right"},
                {", k != 0)", ", 1)", ""},
                {"(right + k * 64,", "(right + k * 64 + 64,", "begins in row 1 behind a multiple of 1024 bytes"},
                {"(left + k,", "(left + k + warp * 8,", "name different matrices"},
                {"  fl_group_fence();\n", "  fl_group_fence();\n  if (warp < 3)\n", "belong together part ways"},
                {"  fl_engine_fence();\n", "", "with no fl_engine_fence behind it"},
                {"  fl_barrier();  // the left matrix\n", "",
                 "no barrier between them|which no thread|is not initialised|no fl_engine_fence"},
                {"  fl_group_commit();\n", "  fl_group_commit();\n  if (thread == 0) left[0].bits = 0;\n",
                 "left.0. .*no barrier between them"},
                {"  fl_phase_wait(full, 0);\n", "", "has not been waited for|no barrier between them"}},
               [&](const Arguments& got) { return product.is_right(got); });
  const Product held{.columns = 128, .turned = true, .held = true};
  expect_found(held.trial(),
               {{"  fl_group_commit();\n", "  fl_group_commit();\n  held[1][2] = 0;\n", ""},
                {"  fl_group_fence();\n", "", "fl_group_fence is missing"},
                {"(k * 2 + lane / 16)", "(k * 2 + lane / 16 ^ 1)", ""}},
               [&](const Arguments& got) { return held.is_right(got); });
}

}  // namespace
}  // namespace fuselab::simt
