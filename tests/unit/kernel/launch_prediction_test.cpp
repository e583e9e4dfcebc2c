// SPDX-License-Identifier: Apache-2.0
#include "core/kernel/launch_prediction.h"

#include <gtest/gtest.h>

#include "core/kernel/virtual_target.h"

namespace fuselab {
namespace {

Target target(const std::string& id, std::int64_t threads, std::int64_t blocks, std::int64_t shared_kib, std::int64_t reserved) {
  return {id,
          "cuda",
          {{"max_threads", 1024},
           {"warp", 32},
           {"registers_per_block", 65536},
           {"registers_per_sm", 65536},
           {"max_threads_per_sm", threads},
           {"max_blocks_per_sm", blocks},
           {"shared_bytes", 49152},
           {"shared_optin_bytes", (shared_kib << 10) - 1024},
           {"shared_per_sm_bytes", shared_kib << 10},
           {"shared_reserved_bytes", reserved}}};
}

Target h200() {
  return target("sm_90", 2048, 32, 228, 1024);
}

LaunchPrediction predict(std::int64_t threads, std::int64_t registers, std::int64_t shared, const Target& on) {
  return predict_launch({threads, 0, {{"registers", registers}, {"shared_bytes", shared}}}, on);
}

// Expected values: cudaOccMaxActiveBlocksPerMultiprocessor of the toolkit's cuda_occupancy.h for the same numbers.
TEST(LaunchPrediction, AgreesWithNvidiasCalculator) {
  struct Case {
    Target target;
    std::int64_t threads, registers, shared, blocks;
    const char* limited_by;
  };
  const Target turing = target("sm_75", 1024, 16, 64, 0), ada = target("sm_89", 1536, 24, 100, 1024);
  const Case cases[] = {
      {h200(), 256, 32, 0, 8, "threads"},
      {h200(), 256, 33, 0, 6, "registers"},  // 40 registers are allocated: 1280 per warp, 12 warps per quarter
      {h200(), 256, 64, 0, 4, "registers"},
      {h200(), 256, 128, 0, 2, "registers"},
      {h200(), 96, 168, 0, 4, "registers"},  // 12 warps by registers: blocks of 3 warps
      {h200(), 32, 16, 0, 32, "blocks"},
      {h200(), 128, 32, 48 << 10, 4, "shared memory"},
      {h200(), 1024, 32, 0, 2, "threads"},
      {turing, 256, 32, 0, 4, "threads"},
      {turing, 64, 32, 4200, 15, "shared memory"},  // units of 256 bytes: 4352
      {ada, 256, 40, 0, 6, "threads"},
      {ada, 128, 32, 8 << 10, 11, "shared memory"},  // 8 KiB and 1 KiB reserved
  };
  for (const Case& each : cases) {
    const LaunchPrediction prediction = predict(each.threads, each.registers, each.shared, each.target);
    const std::string what = each.target.id + ", " + std::to_string(each.threads) + " threads, " + std::to_string(each.registers) +
                             " registers, " + std::to_string(each.shared) + " bytes";
    EXPECT_TRUE(prediction.launches.yes) << what << ": " << prediction.launches.why_not;
    EXPECT_EQ(prediction.blocks, each.blocks) << what;
    EXPECT_EQ(prediction.warps, each.blocks * ((each.threads + 31) / 32)) << what;
    EXPECT_EQ(prediction.limited_by, each.limited_by) << what;
  }
  EXPECT_DOUBLE_EQ(predict(256, 64, 0, h200()).occupancy(), 0.5);
}

TEST(LaunchPrediction, TellsHowManyRegistersLetMoreBlocksIn) {
  const auto step_of = [](std::int64_t threads, std::int64_t registers, std::int64_t shared) {
    return next_register_step({threads, 0, {{"registers", registers}, {"shared_bytes", shared}}}, h200());
  };
  const auto from_64 = step_of(256, 64, 0);
  ASSERT_TRUE(from_64.has_value());
  EXPECT_EQ(from_64->registers, 48) << "they come by eight; 56 let 36 warps in, which is no fifth block of eight";
  EXPECT_EQ(from_64->then.blocks, 5);
  EXPECT_EQ(step_of(256, 33, 0)->registers, 32);
  EXPECT_EQ(step_of(256, 33, 0)->then.blocks, 8);
  EXPECT_FALSE(step_of(256, 32, 0).has_value()) << "threads limit it";
  EXPECT_FALSE(step_of(128, 32, 48 << 10).has_value()) << "shared memory limits it";
}

TEST(LaunchPrediction, SaysWhatKeepsALaunchFromHappening) {
  EXPECT_EQ(predict(2048, 32, 0, h200()).launches.why_not, "the block has 2048 threads, sm_90 allows 1024");
  EXPECT_EQ(predict(1024, 96, 0, h200()).launches.why_not,
            "a block of 1024 threads with 96 registers each needs more registers than sm_90 has");
  EXPECT_EQ(predict(128, 32, 60 << 10, h200()).launches.why_not,
            "the kernel needs 60.0 KiB of static shared memory, sm_90 allows 48.0 KiB");
  EXPECT_EQ(predict_launch({128, 230 << 10, {}}, h200()).launches.why_not,
            "a block needs 230 KiB of shared memory, sm_90 has 227 KiB");
  EXPECT_EQ(predict_launch({512, 0, {{"max_threads", 256}}}, h200()).launches.why_not,
            "the block has 512 threads, the kernel was compiled for at most 256");
  EXPECT_EQ(predict(0, 32, 0, h200()).launches.why_not, "a block needs at least one thread");
}

TEST(LaunchPrediction, FollowsFromWhatIsDocumentedWithoutADevice) {
  const Target hopper = virtual_target("sm_90").value().target, ampere = virtual_target("sm_86").value().target;
  EXPECT_DOUBLE_EQ(predict_launch({512, 100 << 10, {{"registers", 16}}}, hopper).occupancy(), 0.5);  // two blocks' shared memory
  EXPECT_DOUBLE_EQ(predict(32, 16, 0, ampere).occupancy(), 16.0 * 32 / 1536);                        // sixteen blocks
  const LaunchPrediction too_many = predict(1024, 255, 0, hopper);
  EXPECT_FALSE(too_many.launches.yes);
  EXPECT_EQ(too_many.occupancy(), 0);
}

TEST(LaunchPrediction, CountsAnArrayThatTheKernelDeclaresOnce) {
  KernelAbi abi;
  abi.block_x.text = "32";
  abi.block_y.text = "4";
  abi.shared_bytes.text = "4096";
  const LaunchDemand declared = launch_demand(abi, {{"registers", 40}, {"shared_bytes", 4096}}).value();
  EXPECT_EQ(declared.threads, 128);
  EXPECT_EQ(declared.dynamic_shared_bytes, 0);
  EXPECT_EQ(declared.resources.at("registers"), 40);
  EXPECT_EQ(launch_demand(abi, {{"shared_bytes", 1024}}).value().dynamic_shared_bytes, 3072);
  abi.block_x.text = "cols";
  EXPECT_FALSE(launch_demand(abi, {}).ok());
}

TEST(LaunchPrediction, LetsUnknownLimitsLimitNothing) {
  const LaunchPrediction prediction = predict_launch({256, 0, {}}, Target{"sm_99", "cuda", {}});
  EXPECT_TRUE(prediction.launches.yes);
  EXPECT_EQ(prediction.blocks, 0);
  EXPECT_EQ(prediction.occupancy(), 0);
}

// LLVM, AMDGPUBaseInfo: registers of a thread come in units of 8 of 512 (gfx942) and of 24 of 1536 (gfx1100) of a SIMD unit.
TEST(LaunchPrediction, AmdsRegistersComeInUnitsOfTheirOwn) {
  struct Case {
    const char* target;
    std::int64_t threads, registers, shared, blocks;
    const char* limited_by;
  };
  constexpr Case kCases[] = {{"gfx942", 256, 64, 0, 8, "threads"},
                             {"gfx942", 256, 65, 0, 7, "registers"},
                             {"gfx942", 256, 512, 0, 1, "registers"},
                             {"gfx942", 256, 64, 32 << 10, 2, "shared memory"},
                             {"gfx1100", 128, 96, 0, 16, "threads"},
                             {"gfx1100", 128, 97, 0, 12, "registers"},
                             {"gfx950", 256, 64, 80 << 10, 2, "shared memory"}};
  for (const Case& each : kCases) {
    const LaunchPrediction prediction =
        predict(each.threads, each.registers, each.shared, virtual_target(each.target).value().target);
    EXPECT_TRUE(prediction.launches.yes) << each.target << ": " << prediction.launches.why_not;
    EXPECT_EQ(prediction.blocks, each.blocks) << each.target << ", " << each.registers << " registers";
    EXPECT_EQ(prediction.limited_by, each.limited_by) << each.target << ", " << each.registers << " registers";
  }
}

}  // namespace
}  // namespace fuselab
