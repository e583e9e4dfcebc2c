// SPDX-License-Identifier: Apache-2.0
// Barriers that count and the copy engine: what they give, and what the executor finds when they are used wrongly.
#include "tests/unit/simt/matrix_trial.h"

namespace fuselab::simt {
namespace {

// A warp fills a stage that another one empties, with no barrier of the block between them.
constexpr const char* kStage = R"(extern "C" FL_KERNEL(64) void k(const float* x, float* y) {
  FL_SHARED(unsigned long long, full, 1);
  FL_SHARED(unsigned long long, empty, 1);
  FL_SHARED(float, stage, 32);
  const int thread = fl_thread();
  if (thread == 0) {
    fl_phase_init(full, 32);
    fl_phase_init(empty, 32);
  }
  fl_barrier();
  int parity = 0;
  for (int step = 0; step < 5; ++step) {
    if (thread < 32) {
      fl_phase_wait(empty, parity ^ 1);
      stage[thread] = x[step * 32 + thread];
      fl_phase_arrive(full);
    } else {
      fl_phase_wait(full, parity);
      y[step * 32 + thread - 32] = stage[63 - thread];
      fl_phase_arrive(empty);
    }
    parity ^= 1;
  }
}
)";

std::vector<float> counted(std::size_t count) {
  std::vector<float> values(count);
  for (std::size_t i = 0; i < count; ++i) values[i] = static_cast<float>(i + 1);
  return values;
}

TEST(SimtPhases, LetOneWarpFillWhatAnotherEmpties) {
  const std::vector<float> x = counted(160);
  const MatrixTrial trial{"k", kStage, {1, 64}, {given("x", x), wanted<float>("y", 160)}};
  const auto is_right = [&](const Arguments& got) {
    const auto y = values_of<float>(got[1]);
    for (std::size_t i = 0; i < y.size(); ++i) {
      if (y[i] != x[i / 32 * 32 + 31 - i % 32]) return false;
    }
    return true;
  };
  expect_right(trial, [&](const Arguments& got) { EXPECT_TRUE(is_right(got)); });
  constexpr const char* kUnordered = "no barrier between them|which no thread of this block has written|one arrival too many";
  expect_found(
      trial,
      {{"      fl_phase_wait(empty, parity ^ 1);\n", "", kUnordered},
       {"      fl_phase_wait(full, parity);\n", "", kUnordered},
       {"    parity ^= 1;\n", "", "no barrier between them|which no thread|one arrival too many|that never completes"},
       {"fl_phase_init(full, 32)", "fl_phase_init(full, 33)", "wait for a phase .*that never completes"},
       {"fl_phase_init(full, 32)", "fl_phase_init(full, 16)", "no barrier between them|which no thread|one arrival too many"},
       {"    fl_phase_init(empty, 32);\n", "", "that is not initialised"},
       {"  fl_barrier();\n", "", "that is not initialised"},
       {"wait(empty, parity ^ 1)", "wait(empty, parity + 1)", "for parity 2"},
       {"fl_phase_init(full, 32)", "fl_phase_init(full, 0)", "for 0 arrivals"}},
      is_right);
}

constexpr const char* kHalves = R"(extern "C" FL_KERNEL(128) void k(const float* x, float* y) {
  FL_SHARED(float, s, 128);
  const int thread = fl_thread(), half = thread / 64;
  s[thread] = x[thread];
  fl_barrier_of(1 + half, 64);
  const bool first = fl_first_lane_elected();
  y[thread] = s[half * 64 + 63 - thread % 64] + (first ? 1000.0f : 0.0f);
}
)";

TEST(SimtPhases, HaveBarriersOfAPartOfABlockBesideThem) {
  const std::vector<float> x = counted(128);
  const MatrixTrial trial{"k", kHalves, {1, 128}, {given("x", x), wanted<float>("y", 128)}};
  const auto is_right = [&](const Arguments& got) {
    const auto y = values_of<float>(got[1]);
    for (std::size_t i = 0; i < y.size(); ++i) {
      if (y[i] != x[i / 64 * 64 + 63 - i % 64] + (i % 32 == 0 ? 1000.0F : 0.0F)) return false;
    }
    return true;
  };
  expect_right(trial, [&](const Arguments& got) { EXPECT_TRUE(is_right(got)); });
  expect_found(trial,
               {{"  fl_barrier_of(1 + half, 64);\n", "", "no barrier between them|which no thread"},
                {"(1 + half, 64)", "(1, 64)", "no barrier between them|which no thread"},
                {"(1 + half, 64)", "(1 + half, 32)", "no barrier between them|which no thread"},
                {"(1 + half, 64)", "(1 + half, 96)", "wait at a numbered barrier"},
                {"(1 + half, 64)", "(1, 64 + 32 * half)", "for (64|96) threads, thread .* for (64|96)"},
                {"(1 + half, 64)", "(16, 64)", "there are barriers 1 to 15"},
                {"first = fl_first", "first = thread % 32 < 5 && fl_first", "wait .* for the other threads"}},
               is_right);
}

// A box that hangs over the tensor on three sides goes in, and out into a tensor of its own size.
constexpr const char* kBox =
    R"(extern "C" FL_KERNEL(64) void k(FL_TENSOR_MAP(in), FL_TENSOR_MAP(out), const fl_bf16* x, fl_bf16* y) {
  FL_ALIGNED_SHARED(fl_bf16, box, 16 * 64, 0);
  FL_ALIGNED_SHARED(fl_bf16, result, 16 * 64, 2048);
  FL_ALIGNED_SHARED(unsigned long long, full, 1, 4096);
  const int thread = fl_thread();
  if (thread == 0) {
    fl_phase_init(full, 1);
    fl_phase_publish();
    fl_phase_expect(full, 2048);
    fl_copy_box(box, in, 16, -2, full);
  }
  fl_barrier();
  fl_phase_wait(full, 0);
  for (int i = thread; i < 128; i += 64) fl_store<fl_bf16, 8>(result + i * 8, fl_load<fl_bf16, 8>(box + i * 8));
  fl_engine_fence();
  fl_barrier();  // the result
  if (thread == 0) {
    fl_store_box(out, 0, 0, result);
    fl_store_commit();
    fl_store_wait<0>();
  }
}
)";

TEST(SimtEngine, MovesBoxesWithZerosAroundTheTensor) {
  const std::vector<std::uint16_t> x = random_bf16(72 * 13, 3);
  const MatrixTrial trial{"k",
                          kBox,
                          {1, 64, 4096 + 8},
                          {map_argument(map_of(72, 13, 64, 16), 2), map_argument(map_of(64, 16, 64, 16), 3), given("x", x),
                           wanted<std::uint16_t>("y", 16 * 64)}};
  const auto is_right = [&](const Arguments& got) {
    const auto y = values_of<std::uint16_t>(got[3]);
    for (std::size_t i = 0; i < y.size(); ++i) {
      const std::size_t row = i / 64, column = i % 64 + 16;
      if (y[i] != (row < 2 || row >= 15 || column >= 72 ? 0 : x[(row - 2) * 72 + column])) return false;
    }
    return true;
  };
  expect_right(trial, [&](const Arguments& got) { EXPECT_TRUE(is_right(got)); });
  expect_found(
      trial,
      {{"fl_phase_expect(full, 2048)", "fl_phase_expect(full, 1024)", "wait for a phase .*that never completes"},
       {"    fl_phase_expect(full, 2048);\n", "", "wait for a phase .*that never completes"},
       {"  fl_phase_wait(full, 0);\n", "", "has not been waited for|no barrier between them"},
       {"  fl_engine_fence();\n", "", "with no fl_engine_fence behind it"},
       {"  fl_barrier();  // the result\n", "", "no barrier between them|which no thread|no fl_engine_fence behind it"},
       {"    fl_store_wait<0>();\n", "", "ends while its store .* still reads shared memory"},
       {"    fl_store_commit();\n", "", "ends while its store .* still reads shared memory"},
       {"    fl_store_commit();\n", "    fl_store_commit();\n    result[0].bits = 1;\n", "result.0. .*no barrier between them"},
       {"fl_copy_box(box,", "fl_copy_box(box + 8,", "misaligned"},
       {"    fl_phase_publish();\n", "", "fl_phase_publish is missing"},
       {"  if (thread == 0) {\n    fl_phase_init", "  {\n    fl_phase_init",
        "no barrier between them|one arrival too many|fl_phase_publish"},
       {"in, 16, -2, full)", "in, 16, -1, full)", ""},
       {"64, 0);\n", "32, 0);\n", "out of bounds"}},
      is_right);
}

// Parts of 64 and 32 bytes change places, or none; layers; columns that begin before the tensor.
TEST(SimtEngine, MovesBoxesOfOtherShapes) {
  const std::string text = R"(extern "C" FL_KERNEL(32) void k(FL_TENSOR_MAP(in), const fl_bf16* x, fl_bf16* y) {
  FL_ALIGNED_SHARED(fl_bf16, box, 512, 0);
  FL_ALIGNED_SHARED(unsigned long long, full, 1, 1024);
  const int thread = fl_thread();
  if (thread == 0) {
    fl_phase_init(full, 1);
    fl_phase_publish();
    fl_phase_expect(full, 1024);
    fl_copy_box(box, in, -3, 1, 2, full);
  }
  fl_barrier();
  fl_phase_wait(full, 0);
  for (int i = thread; i < 512; i += 32) y[i] = box[i];
}
)";
  const std::vector<std::uint16_t> x = random_bf16(40 * 9 * 3, 4);
  for (const int columns : {32, 16}) {
    for (const int swizzle : {0, columns * 2}) {
      TensorMap map = map_of(40, 9, columns, 512 / columns, swizzle);
      map.axes = 3;
      map.extents = {40, 9, 3, 1, 1};
      map.strides = {80, 80 * 9, 0, 0};
      const MatrixTrial trial{"k", text, {1, 32, 1024 + 8}, {map_argument(map, 1), given("x", x), wanted<std::uint16_t>("y", 512)}};
      expect_right(trial, [&](const Arguments& got) {
        const auto y = values_of<std::uint16_t>(got[2]);
        for (int i = 0; i < 512; ++i) {
          const int row = i / columns + 1, column = i % columns - 3;
          const std::uint16_t expected = row >= 9 || column < 0 ? 0 : x[static_cast<std::size_t>((2 * 9 + row) * 40 + column)];
          const int bytes = i * 2, parts = swizzle == 0 ? 0 : swizzle / 16 - 1;
          EXPECT_EQ(y[static_cast<std::size_t>((bytes ^ ((bytes >> 7 & parts) << 4)) / 2)], expected) << i << " of " << columns;
        }
      });
    }
  }
}

constexpr const char* kBytes = R"(extern "C" FL_KERNEL(32) void k(const float* x, float* y) {
  FL_SHARED(float, row, 64);
  FL_SHARED(unsigned long long, full, 1);
  if (fl_thread() == 0) {
    fl_phase_init(full, 1);
    fl_phase_publish();
    fl_phase_expect(full, 256);
    fl_copy_bytes(row, x, 256, full);
  }
  fl_barrier();
  fl_phase_wait(full, 0);
  for (int i = fl_thread(); i < 64; i += 32) y[i] = row[63 - i];
}
)";

TEST(SimtEngine, MovesRowsOfBytes) {
  const std::vector<float> x = counted(64);
  const MatrixTrial trial{"k", kBytes, {1, 32}, {given("x", x), wanted<float>("y", 64)}};
  const auto is_right = [&](const Arguments& got) {
    const auto y = values_of<float>(got[1]);
    return std::equal(y.begin(), y.end(), x.rbegin());
  };
  expect_right(trial, [&](const Arguments& got) { EXPECT_TRUE(is_right(got)); });
  expect_found(trial,
               {{"fl_copy_bytes(row, x, 256", "fl_copy_bytes(row, x, 264", "it copies multiples of 16"},
                {"fl_copy_bytes(row, x, 256", "fl_copy_bytes(row, x, 272", "out of bounds"},
                {"fl_copy_bytes(row, x,", "fl_copy_bytes(row, x + 1,", "misaligned"},
                {"  fl_phase_wait(full, 0);\n", "", "has not been waited for|no barrier between them"},
                {"  fl_phase_wait(full, 0);\n  for", "  return;\n  for",
                 "ends while the copy .* is under way|without waiting for the copy"}},
               is_right);
}

}  // namespace
}  // namespace fuselab::simt
