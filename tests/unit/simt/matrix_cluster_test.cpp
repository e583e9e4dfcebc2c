// SPDX-License-Identifier: Apache-2.0
// Blocks of a cluster: copies into all of them, sums that are sent, barriers that others arrive at.
#include "backends/emulator/emulated_kernel.h"
#include "tests/unit/simt/matrix_trial.h"

namespace fuselab::simt {
namespace {

constexpr const char* kCluster =
    R"(extern "C" FL_KERNEL(32, 1) FL_CLUSTER(2) void k(FL_TENSOR_MAP(in), const float* x, float* y, const fl_bf16* z, fl_bf16* copy) {
  FL_ALIGNED_SHARED(fl_bf16, box, 8 * 64, 0);
  FL_ALIGNED_SHARED(unsigned long long, full, 1, 1024);
  FL_ALIGNED_SHARED(unsigned long long, taken, 1, 1040);
  FL_ALIGNED_SHARED(float, sums, 2, 1056);
  const int lane = fl_lane(), rank = fl_cluster_rank(), block = static_cast<int>(fl_block());
  if (lane == 0) {
    fl_phase_init(full, 1);
    fl_phase_init(taken, 2);
    fl_phase_publish();
  }
  fl_cluster_barrier();  // the barriers are there
  if (lane == 0) fl_phase_expect(full, 1024);
  if (lane == 0 && rank == 0) fl_copy_box_to(box, in, 0, block / 2 * 8, full, 3);
  fl_phase_wait(full, 0);
  for (int i = lane; i < 512; i += 32) copy[block * 512 + i] = box[i];
  fl_warp_barrier();  // the box is read
  if (lane < 2) fl_phase_arrive_in(taken, lane);
  fl_phase_wait(taken, 0);  // nobody reads a box any more
  if (lane == 0) fl_store_to(fl_place_in(box, rank ^ 1), 0.0f);
  if (lane < 2) fl_store_to(fl_place_in(sums + rank, lane), x[block]);
  fl_cluster_barrier();  // the sums are there
  if (lane == 0) y[block] = sums[0] + sums[1];
}
)";

TEST(SimtClusters, ShareCopiesSumsAndBarriers) {
  const std::vector<float> x = {1, 2, 4, 8};
  const std::vector<std::uint16_t> z = random_bf16(16 * 64, 6);
  const MatrixTrial trial{"k",
                          kCluster,
                          {4, 32, 1056 + 8, 2},
                          {map_argument(map_of(64, 16, 64, 8, 0), 3), given("x", x), wanted<float>("y", 4), given("z", z),
                           wanted<std::uint16_t>("copy", 4 * 512)}};
  const auto is_right = [&](const Arguments& got) {
    const auto copy = values_of<std::uint16_t>(got[4]);
    for (std::size_t i = 0; i < copy.size(); ++i) {
      if (copy[i] != z[i / 1024 * 512 + i % 512]) return false;
    }
    return values_of<float>(got[2]) == std::vector<float>{3, 3, 12, 12};
  };
  expect_right(trial, [&](const Arguments& got) { EXPECT_TRUE(is_right(got)); });
  expect_found(
      trial,
      {{"  fl_cluster_barrier();  // the barriers are there\n", "",
        "which may not have begun|that is not initialised|no barrier between"},
       {"  fl_cluster_barrier();  // the sums", "  fl_barrier();  // the sums",
        "no barrier between them|which no thread of this block has written|all of whose threads have ended"},
       {"  fl_cluster_barrier();  // the sums", "  // the sums",
        "no barrier between them|which no thread of this block has written|all of whose threads have ended"},
       {"block / 2 * 8, full, 3)", "block / 2 * 8, full, 1)", "wait for a phase .*that never completes"},
       {"(sums + rank, lane)", "(sums + rank, rank)", "no barrier between them|which no thread of this block has written"},
       {"if (lane < 2) fl_store_to", "if (lane < 3) fl_store_to", "of rank 2; its cluster has 2"},
       {"  if (lane < 2) fl_phase_arrive_in", "  if (lane < 1) fl_phase_arrive_in", "wait for a phase .*that never completes"},
       {"  fl_phase_wait(taken, 0);  // nobody", "  // nobody", "no barrier between them|has not been waited for"},
       {"  fl_warp_barrier();  // the box", "  // the box", "box.* no barrier between them"},
       {"rank == 0) fl_copy", "rank >= 0) fl_copy", "has not been waited for|no barrier between them|one arrival too many"}},
      is_right);
}

// Its barrier counts threads, wherever their warps come from.
TEST(SimtClusters, MeetFromDifferentPlacesByWholeWarps) {
  const std::string text = R"(extern "C" FL_KERNEL(64, 1) FL_CLUSTER(2) void k(float* y) {
  FL_SHARED(float, s, 1);
  if (fl_warp() == 0) {
    if (fl_lane() == 0) s[0] = 5.0f;
    fl_cluster_barrier();
    return;
  }
  fl_cluster_barrier();
  if (fl_lane() == 0) y[fl_block()] = s[0];
}
)";
  const MatrixTrial trial{"k", text, {2, 64, 0, 2}, {wanted<float>("y", 2)}};
  const auto is_right = [](const Arguments& got) { return values_of<float>(got[0]) == std::vector<float>{5, 5}; };
  expect_right(trial, [&](const Arguments& got) { EXPECT_TRUE(is_right(got)); });
  expect_found(trial,
               {{"if (fl_warp() == 0)", "if (fl_thread() < 16)", "threads of blocks 0 to 1 part ways"},
                {"    fl_cluster_barrier();\n    return;", "    return;", "threads of blocks 0 to 1 part ways"}},
               is_right);
}

TEST(SimtClusters, AreSeenInTheTextOfTheKernel) {
  SourceModule source;
  source.entry = "k";
  source.text = std::string("// End of the prelude.\n// End of the matrix prelude.\n") + kCluster;
  const std::vector<KernelText> texts = texts_of(source);
  ASSERT_EQ(texts.size(), 1U);
  EXPECT_TRUE(texts.front().matrix_units);
  const auto object = KernelObject::compile(texts);
  ASSERT_TRUE(object.ok()) << object.error().message;
  EXPECT_EQ(object.value()->cluster(0), 2);
  EXPECT_EQ(object.value()->max_threads(0), 32);
  std::vector<Argument> none;
  EXPECT_THAT(run_launch(*object.value(), 0, {3, 32, 0, 2}, none).finding, ::testing::HasSubstr("a grid whole clusters"));
}

}  // namespace
}  // namespace fuselab::simt
