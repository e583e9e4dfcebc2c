// SPDX-License-Identifier: Apache-2.0
// What is declared of CUPTI by hand, against its header where there is one.
#include "backends/cuda/abi/cupti_abi.h"

#include <cupti_profiler_host.h>
#include <gtest/gtest.h>

namespace fuselab::cuda {
namespace {

template <typename Ours, typename Theirs>
void expect_same(std::size_t told) {
  EXPECT_EQ(sizeof(Ours), sizeof(Theirs));
  EXPECT_EQ(Ours().size, told);
}

TEST(CuptiAbi, StructuresAreThoseOfTheHeader) {
  expect_same<abi::CuptiHostInitialize, CUpti_Profiler_Host_Initialize_Params>(CUpti_Profiler_Host_Initialize_Params_STRUCT_SIZE);
  expect_same<abi::CuptiHostDeinitialize, CUpti_Profiler_Host_Deinitialize_Params>(
      CUpti_Profiler_Host_Deinitialize_Params_STRUCT_SIZE);
  expect_same<abi::CuptiHostChips, CUpti_Profiler_Host_GetSupportedChips_Params>(
      CUpti_Profiler_Host_GetSupportedChips_Params_STRUCT_SIZE);
  expect_same<abi::CuptiHostAddMetrics, CUpti_Profiler_Host_ConfigAddMetrics_Params>(
      CUpti_Profiler_Host_ConfigAddMetrics_Params_STRUCT_SIZE);
  expect_same<abi::CuptiHostImageSize, CUpti_Profiler_Host_GetConfigImageSize_Params>(
      CUpti_Profiler_Host_GetConfigImageSize_Params_STRUCT_SIZE);
  expect_same<abi::CuptiHostImage, CUpti_Profiler_Host_GetConfigImage_Params>(
      CUpti_Profiler_Host_GetConfigImage_Params_STRUCT_SIZE);
  expect_same<abi::CuptiHostPasses, CUpti_Profiler_Host_GetNumOfPasses_Params>(
      CUpti_Profiler_Host_GetNumOfPasses_Params_STRUCT_SIZE);
}

TEST(CuptiAbi, MembersAreWhereTheHeaderHasThem) {
  EXPECT_EQ(offsetof(abi::CuptiHostInitialize, chip), offsetof(CUpti_Profiler_Host_Initialize_Params, pChipName));
  EXPECT_EQ(offsetof(abi::CuptiHostInitialize, availability),
            offsetof(CUpti_Profiler_Host_Initialize_Params, pCounterAvailabilityImage));
  EXPECT_EQ(offsetof(abi::CuptiHostChips, names), offsetof(CUpti_Profiler_Host_GetSupportedChips_Params, ppChipNames));
  EXPECT_EQ(offsetof(abi::CuptiHostAddMetrics, names), offsetof(CUpti_Profiler_Host_ConfigAddMetrics_Params, ppMetricNames));
  EXPECT_EQ(offsetof(abi::CuptiHostImage, bytes), offsetof(CUpti_Profiler_Host_GetConfigImage_Params, configImageSize));
  EXPECT_EQ(offsetof(abi::CuptiHostPasses, image), offsetof(CUpti_Profiler_Host_GetNumOfPasses_Params, pConfigImage));
  EXPECT_EQ(abi::kCuptiRangeProfiler, static_cast<int>(CUPTI_PROFILER_TYPE_RANGE_PROFILER));
  EXPECT_EQ(abi::kCuptiSuccess, static_cast<int>(CUPTI_SUCCESS));
}

}  // namespace
}  // namespace fuselab::cuda
