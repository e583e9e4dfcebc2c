// SPDX-License-Identifier: Apache-2.0
// The predicted occupancy on every listed architecture beside NVIDIA's own calculator, where its header is (cuda_occupancy.h of the
// toolkit, cudaOccMaxActiveBlocksPerMultiprocessor), over a grid of blocks, registers and shared memory.
#include <gtest/gtest.h>

#include <cstdlib>

#include "cuda_occupancy.h"

#include "backends/cuda/driver/cuda_targets.h"
#include "core/kernel/launch_prediction.h"

namespace fuselab::cuda {
namespace {

cudaOccDeviceProp device_of(const Target& target) {
  const auto limit = [&](const char* name) { return target.limits.at(name); };
  const int capability = std::atoi(target.id.c_str() + 3);
  cudaOccDeviceProp device;
  device.computeMajor = capability / 10;
  device.computeMinor = capability % 10;
  device.maxThreadsPerBlock = static_cast<int>(limit("max_threads"));
  device.maxThreadsPerMultiprocessor = static_cast<int>(limit("max_threads_per_sm"));
  device.regsPerBlock = static_cast<int>(limit("registers_per_block"));
  device.regsPerMultiprocessor = static_cast<int>(limit("registers_per_sm"));
  device.warpSize = 32;
  device.sharedMemPerBlock = static_cast<std::size_t>(limit("shared_bytes"));
  device.sharedMemPerMultiprocessor = static_cast<std::size_t>(limit("shared_per_sm_bytes"));
  device.numSms = 1;
  device.sharedMemPerBlockOptin = static_cast<std::size_t>(limit("shared_optin_bytes"));
  device.reservedSharedMemPerBlock = static_cast<std::size_t>(limit("shared_reserved_bytes"));
  return device;
}

int blocks_by_nvidia(const cudaOccDeviceProp& device, int threads, int registers, std::size_t shared) {
  cudaOccFuncAttributes function;
  function.maxThreadsPerBlock = device.maxThreadsPerBlock;
  function.numRegs = registers;
  function.shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN;
  function.maxDynamicSharedSizeBytes = device.sharedMemPerBlockOptin;
  function.numBlockBarriers = 1;
  const cudaOccDeviceState state;
  cudaOccResult result{};
  const cudaOccError error = cudaOccMaxActiveBlocksPerMultiprocessor(&result, &device, &function, &state, threads, shared);
  return error == CUDA_OCC_SUCCESS ? result.activeBlocksPerMultiprocessor : -1;
}

TEST(Occupancy, IsThatOfNvidiasCalculatorOnEveryArchitecture) {
  int compared = 0;
  for (const Target& target : cuda_targets()) {
    const cudaOccDeviceProp device = device_of(target);
    for (const int threads : {32, 64, 96, 128, 192, 256, 384, 512, 768, 1024}) {
      for (const int registers : {16, 24, 32, 33, 40, 48, 56, 63, 64, 72, 80, 96, 128, 168, 255}) {
        for (const std::size_t shared : {0U, 1U, 1000U, 4096U, 4200U, 16384U, 49152U, 65000U, 101376U, 200000U}) {
          const int wanted = blocks_by_nvidia(device, threads, registers, shared);
          if (wanted < 0) continue;
          const LaunchPrediction ours =
              predict_launch({threads, static_cast<std::int64_t>(shared), {{"registers", registers}}}, target);
          ASSERT_EQ(ours.blocks, wanted) << target.id << ", " << threads << " threads, " << registers << " registers, " << shared
                                         << " bytes: " << ours.launches.why_not;
          ++compared;
        }
      }
    }
  }
  EXPECT_GT(compared, 1500);
}

}  // namespace
}  // namespace fuselab::cuda
