// SPDX-License-Identifier: Apache-2.0
// What is declared of CUPTI by hand, against its header where there is one.
#include "backends/cuda/abi/cupti_abi.h"

#include <cupti_profiler_host.h>
#include <cupti_profiler_target.h>
#include <cupti_range_profiler.h>
#include <cupti_target.h>
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

TEST(CuptiAbi, StructuresOfADeviceAreThoseOfTheHeaders) {
  expect_same<abi::CuptiHostEvaluate, CUpti_Profiler_Host_EvaluateToGpuValues_Params>(
      CUpti_Profiler_Host_EvaluateToGpuValues_Params_STRUCT_SIZE);
  expect_same<abi::CuptiInitialize, CUpti_Profiler_Initialize_Params>(CUpti_Profiler_Initialize_Params_STRUCT_SIZE);
  expect_same<abi::CuptiChipName, CUpti_Device_GetChipName_Params>(CUpti_Device_GetChipName_Params_STRUCT_SIZE);
  expect_same<abi::CuptiAvailability, CUpti_Profiler_GetCounterAvailability_Params>(
      CUpti_Profiler_GetCounterAvailability_Params_STRUCT_SIZE);
  expect_same<abi::CuptiRanges, CUpti_RangeProfiler_Start_Params>(CUpti_RangeProfiler_Start_Params_STRUCT_SIZE);
  expect_same<abi::CuptiRanges, CUpti_RangeProfiler_PopRange_Params>(CUpti_RangeProfiler_PopRange_Params_STRUCT_SIZE);
  expect_same<abi::CuptiRanges, CUpti_RangeProfiler_Disable_Params>(CUpti_RangeProfiler_Disable_Params_STRUCT_SIZE);
  expect_same<abi::CuptiRangesEnable, CUpti_RangeProfiler_Enable_Params>(CUpti_RangeProfiler_Enable_Params_STRUCT_SIZE);
  expect_same<abi::CuptiRangesDataSize, CUpti_RangeProfiler_GetCounterDataSize_Params>(
      CUpti_RangeProfiler_GetCounterDataSize_Params_STRUCT_SIZE);
  expect_same<abi::CuptiRangesData, CUpti_RangeProfiler_CounterDataImage_Initialize_Params>(
      CUpti_RangeProfiler_CounterDataImage_Initialize_Params_STRUCT_SIZE);
  expect_same<abi::CuptiRangesConfig, CUpti_RangeProfiler_SetConfig_Params>(CUpti_RangeProfiler_SetConfig_Params_STRUCT_SIZE);
  expect_same<abi::CuptiRangesPush, CUpti_RangeProfiler_PushRange_Params>(CUpti_RangeProfiler_PushRange_Params_STRUCT_SIZE);
  expect_same<abi::CuptiRangesStop, CUpti_RangeProfiler_Stop_Params>(CUpti_RangeProfiler_Stop_Params_STRUCT_SIZE);
  expect_same<abi::CuptiRangesDecode, CUpti_RangeProfiler_DecodeData_Params>(CUpti_RangeProfiler_DecodeData_Params_STRUCT_SIZE);
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
  EXPECT_EQ(offsetof(abi::CuptiRangesConfig, replay), offsetof(CUpti_RangeProfiler_SetConfig_Params, replayMode));
  EXPECT_EQ(offsetof(abi::CuptiRangesConfig, least_level), offsetof(CUpti_RangeProfiler_SetConfig_Params, minNestingLevel));
  EXPECT_EQ(offsetof(abi::CuptiRangesConfig, pass), offsetof(CUpti_RangeProfiler_SetConfig_Params, passIndex));
  EXPECT_EQ(offsetof(abi::CuptiRangesDataSize, most_nodes),
            offsetof(CUpti_RangeProfiler_GetCounterDataSize_Params, maxNumRangeTreeNodes));
  EXPECT_EQ(offsetof(abi::CuptiHostEvaluate, values), offsetof(CUpti_Profiler_Host_EvaluateToGpuValues_Params, pMetricValues));
  EXPECT_EQ(abi::kCuptiUserRange, static_cast<int>(CUPTI_UserRange));
  EXPECT_EQ(abi::kCuptiUserReplay, static_cast<int>(CUPTI_UserReplay));
  EXPECT_EQ(abi::kCuptiSuccess, static_cast<int>(CUPTI_SUCCESS));
}

}  // namespace
}  // namespace fuselab::cuda
