// SPDX-License-Identifier: Apache-2.0
// What is declared by hand of CUPTI's records and samplers, against its headers where there are any.
#include <cupti_activity.h>
#include <cupti_callbacks.h>
#include <cupti_driver_cbid.h>
#include <cupti_pcsampling.h>
#include <cupti_pmsampling.h>
#include <cupti_profiler_host.h>
#include <cupti_result.h>
#include <gtest/gtest.h>

#include "backends/cuda/abi/cupti_activity_abi.h"
#include "backends/cuda/abi/cupti_sampling_abi.h"

namespace fuselab::cuda {
namespace {

template <typename Ours, typename Theirs>
void expect_as_told(std::size_t told) {
  EXPECT_EQ(sizeof(Ours), sizeof(Theirs));
  EXPECT_EQ(Ours().size, told);
}

TEST(CuptiRecordingAbi, RecordsBeginAsInTheHeader) {
  using Kernel = CUpti_ActivityKernel10;
  EXPECT_LE(sizeof(abi::CuptiKernelRecord), sizeof(Kernel));
  EXPECT_EQ(offsetof(abi::CuptiKernelRecord, registers), offsetof(Kernel, registersPerThread));
  EXPECT_EQ(offsetof(abi::CuptiKernelRecord, start), offsetof(Kernel, start));
  EXPECT_EQ(offsetof(abi::CuptiKernelRecord, device), offsetof(Kernel, deviceId));
  EXPECT_EQ(offsetof(abi::CuptiKernelRecord, stream), offsetof(Kernel, streamId));
  EXPECT_EQ(offsetof(abi::CuptiKernelRecord, grid), offsetof(Kernel, gridX));
  EXPECT_EQ(offsetof(abi::CuptiKernelRecord, block), offsetof(Kernel, blockX));
  EXPECT_EQ(offsetof(abi::CuptiKernelRecord, static_shared), offsetof(Kernel, staticSharedMemory));
  EXPECT_EQ(offsetof(abi::CuptiKernelRecord, dynamic_shared), offsetof(Kernel, dynamicSharedMemory));
  EXPECT_EQ(offsetof(abi::CuptiKernelRecord, local), offsetof(Kernel, localMemoryPerThread));
  EXPECT_EQ(offsetof(abi::CuptiKernelRecord, correlation), offsetof(Kernel, correlationId));
  EXPECT_EQ(offsetof(abi::CuptiKernelRecord, grid_id), offsetof(Kernel, gridId));
  EXPECT_EQ(offsetof(abi::CuptiKernelRecord, name), offsetof(Kernel, name));
  EXPECT_EQ(offsetof(abi::CuptiKernelRecord, queued), offsetof(Kernel, queued));
  EXPECT_EQ(offsetof(abi::CuptiKernelRecord, launch), offsetof(Kernel, launchType));
  EXPECT_EQ(offsetof(abi::CuptiKernelRecord, shared_executed), offsetof(Kernel, sharedMemoryExecuted));
  EXPECT_EQ(offsetof(abi::CuptiKernelRecord, graph_node), offsetof(Kernel, graphNodeId));
  EXPECT_EQ(offsetof(abi::CuptiMemcpyRecord, copy), offsetof(CUpti_ActivityMemcpy6, copyKind));
  EXPECT_EQ(offsetof(abi::CuptiMemcpyRecord, bytes), offsetof(CUpti_ActivityMemcpy6, bytes));
  EXPECT_EQ(offsetof(abi::CuptiMemcpyRecord, end), offsetof(CUpti_ActivityMemcpy6, end));
  EXPECT_EQ(offsetof(abi::CuptiMemcpyRecord, stream), offsetof(CUpti_ActivityMemcpy6, streamId));
  EXPECT_EQ(offsetof(abi::CuptiMemcpyRecord, correlation), offsetof(CUpti_ActivityMemcpy6, correlationId));
  EXPECT_EQ(offsetof(abi::CuptiMemsetRecord, bytes), offsetof(CUpti_ActivityMemset4, bytes));
  EXPECT_EQ(offsetof(abi::CuptiMemsetRecord, start), offsetof(CUpti_ActivityMemset4, start));
  EXPECT_EQ(offsetof(abi::CuptiMemsetRecord, stream), offsetof(CUpti_ActivityMemset4, streamId));
  EXPECT_EQ(offsetof(abi::CuptiMemsetRecord, correlation), offsetof(CUpti_ActivityMemset4, correlationId));
  EXPECT_EQ(offsetof(abi::CuptiOverheadRecord, what), offsetof(CUpti_ActivityOverhead3, overheadKind));
  EXPECT_EQ(offsetof(abi::CuptiOverheadRecord, start), offsetof(CUpti_ActivityOverhead3, start));
  EXPECT_EQ(offsetof(abi::CuptiOverheadRecord, end), offsetof(CUpti_ActivityOverhead3, end));
  EXPECT_EQ(offsetof(abi::CuptiExternalRecord, of), offsetof(CUpti_ActivityExternalCorrelation, externalKind));
  EXPECT_EQ(offsetof(abi::CuptiExternalRecord, external), offsetof(CUpti_ActivityExternalCorrelation, externalId));
  EXPECT_EQ(offsetof(abi::CuptiExternalRecord, correlation), offsetof(CUpti_ActivityExternalCorrelation, correlationId));
  EXPECT_EQ(offsetof(abi::CuptiCallRecord, call), offsetof(CUpti_ActivityAPI, cbid));
  EXPECT_EQ(offsetof(abi::CuptiCallRecord, start), offsetof(CUpti_ActivityAPI, start));
  EXPECT_EQ(offsetof(abi::CuptiCallRecord, correlation), offsetof(CUpti_ActivityAPI, correlationId));
}

TEST(CuptiRecordingAbi, NumbersAreThoseOfTheHeaders) {
  EXPECT_EQ(static_cast<int>(abi::kCuptiMemcpy), CUPTI_ACTIVITY_KIND_MEMCPY);
  EXPECT_EQ(static_cast<int>(abi::kCuptiMemset), CUPTI_ACTIVITY_KIND_MEMSET);
  EXPECT_EQ(static_cast<int>(abi::kCuptiDriverCall), CUPTI_ACTIVITY_KIND_DRIVER);
  EXPECT_EQ(static_cast<int>(abi::kCuptiKernel), CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
  EXPECT_EQ(static_cast<int>(abi::kCuptiOverhead), CUPTI_ACTIVITY_KIND_OVERHEAD);
  EXPECT_EQ(static_cast<int>(abi::kCuptiExternal), CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION);
  EXPECT_EQ(abi::kCuptiCustom0, CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0);
  EXPECT_EQ(abi::kCuptiFlushForced, static_cast<std::uint32_t>(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED));
  EXPECT_EQ(abi::kCuptiBufferBytes, CUPTI_ACTIVITY_ATTR_DEVICE_BUFFER_SIZE);
  EXPECT_EQ(abi::kCuptiNoMoreRecords, CUPTI_ERROR_MAX_LIMIT_REACHED);
  EXPECT_EQ(abi::kCuptiOtherProfiler, CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED);
  EXPECT_EQ(abi::kCuptiLaunch[0], static_cast<std::uint32_t>(CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel));
  EXPECT_EQ(abi::kCuptiLaunch[1], static_cast<std::uint32_t>(CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel_ptsz));
  EXPECT_EQ(abi::kCuptiLaunchEx[0], static_cast<std::uint32_t>(CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx));
  EXPECT_EQ(abi::kCuptiLaunchEx[1], static_cast<std::uint32_t>(CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx_ptsz));
  EXPECT_EQ(abi::kCuptiGraphLaunch[0], static_cast<std::uint32_t>(CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch));
  EXPECT_EQ(abi::kCuptiGraphLaunch[1], static_cast<std::uint32_t>(CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch_ptsz));
  expect_as_told<abi::CuptiSubscription, CUpti_SubscriberParams>(CUpti_SubscriberParams_STRUCT_SIZE);
}

TEST(CuptiRecordingAbi, TheSamplerOfCountersIsThatOfTheHeader) {
  expect_as_told<abi::CuptiSeriesAvailability, CUpti_PmSampling_GetCounterAvailability_Params>(
      CUpti_PmSampling_GetCounterAvailability_Params_STRUCT_SIZE);
  expect_as_told<abi::CuptiSeries, CUpti_PmSampling_Start_Params>(CUpti_PmSampling_Start_Params_STRUCT_SIZE);
  expect_as_told<abi::CuptiSeries, CUpti_PmSampling_Stop_Params>(CUpti_PmSampling_Stop_Params_STRUCT_SIZE);
  expect_as_told<abi::CuptiSeries, CUpti_PmSampling_Disable_Params>(CUpti_PmSampling_Disable_Params_STRUCT_SIZE);
  expect_as_told<abi::CuptiSeriesEnable, CUpti_PmSampling_Enable_Params>(CUpti_PmSampling_Enable_Params_STRUCT_SIZE);
  expect_as_told<abi::CuptiSeriesDataSize, CUpti_PmSampling_GetCounterDataSize_Params>(
      CUpti_PmSampling_GetCounterDataSize_Params_STRUCT_SIZE);
  expect_as_told<abi::CuptiSeriesData, CUpti_PmSampling_CounterDataImage_Initialize_Params>(
      CUpti_PmSampling_CounterDataImage_Initialize_Params_STRUCT_SIZE);
  expect_as_told<abi::CuptiSeriesConfig, CUpti_PmSampling_SetConfig_Params>(CUpti_PmSampling_SetConfig_Params_STRUCT_SIZE);
  expect_as_told<abi::CuptiSeriesDecode, CUpti_PmSampling_DecodeData_Params>(CUpti_PmSampling_DecodeData_Params_STRUCT_SIZE);
  expect_as_told<abi::CuptiSeriesInfo, CUpti_PmSampling_GetCounterDataInfo_Params>(
      CUpti_PmSampling_GetCounterDataInfo_Params_STRUCT_SIZE);
  expect_as_told<abi::CuptiSeriesSample, CUpti_PmSampling_CounterData_GetSampleInfo_Params>(
      CUpti_PmSampling_CounterData_GetSampleInfo_Params_STRUCT_SIZE);
  EXPECT_EQ(offsetof(abi::CuptiSeriesConfig, interval), offsetof(CUpti_PmSampling_SetConfig_Params, samplingInterval));
  EXPECT_EQ(offsetof(abi::CuptiSeriesConfig, trigger), offsetof(CUpti_PmSampling_SetConfig_Params, triggerMode));
  EXPECT_EQ(offsetof(abi::CuptiSeriesDataSize, most_samples), offsetof(CUpti_PmSampling_GetCounterDataSize_Params, maxSamples));
  EXPECT_EQ(offsetof(abi::CuptiSeriesSample, start), offsetof(CUpti_PmSampling_CounterData_GetSampleInfo_Params, startTimestamp));
  EXPECT_EQ(abi::kCuptiByTime, static_cast<int>(CUPTI_PM_SAMPLING_TRIGGER_MODE_GPU_TIME_INTERVAL));
  EXPECT_EQ(abi::kCuptiByCycles, static_cast<int>(CUPTI_PM_SAMPLING_TRIGGER_MODE_GPU_SYSCLK_INTERVAL));
  EXPECT_EQ(abi::kCuptiKeepOldest, static_cast<int>(CUPTI_PM_SAMPLING_HARDWARE_BUFFER_APPEND_MODE_KEEP_OLDEST));
  EXPECT_EQ(abi::kCuptiDataFull, static_cast<int>(CUPTI_PM_SAMPLING_DECODE_STOP_REASON_COUNTER_DATA_FULL));
  EXPECT_EQ(abi::kCuptiCounterSampler, static_cast<int>(CUPTI_PROFILER_TYPE_PM_SAMPLING));
}

TEST(CuptiRecordingAbi, TheSamplerOfPlacesIsThatOfTheHeader) {
  expect_as_told<abi::CuptiPlaces, CUpti_PCSamplingEnableParams>(CUpti_PCSamplingEnableParamsSize);
  expect_as_told<abi::CuptiPlaces, CUpti_PCSamplingDisableParams>(CUpti_PCSamplingDisableParamsSize);
  expect_as_told<abi::CuptiPlaces, CUpti_PCSamplingStartParams>(CUpti_PCSamplingStartParamsSize);
  expect_as_told<abi::CuptiPlaces, CUpti_PCSamplingStopParams>(CUpti_PCSamplingStopParamsSize);
  expect_as_told<abi::CuptiStallCount, CUpti_PCSamplingGetNumStallReasonsParams>(CUpti_PCSamplingGetNumStallReasonsParamsSize);
  expect_as_told<abi::CuptiStallNames, CUpti_PCSamplingGetStallReasonsParams>(CUpti_PCSamplingGetStallReasonsParamsSize);
  expect_as_told<abi::CuptiPlace, CUpti_PCSamplingPCData>(sizeof(CUpti_PCSamplingPCData));
  expect_as_told<abi::CuptiPlaceData, CUpti_PCSamplingData>(sizeof(CUpti_PCSamplingData));
  expect_as_told<abi::CuptiPlaceConfig, CUpti_PCSamplingConfigurationInfoParams>(CUpti_PCSamplingConfigurationInfoParamsSize);
  expect_as_told<abi::CuptiPlaceRead, CUpti_PCSamplingGetDataParams>(CUpti_PCSamplingGetDataParamsSize);
  expect_as_told<abi::CuptiCubinChecksum, CUpti_GetCubinCrcParams>(CUpti_GetCubinCrcParamsSize);
  expect_as_told<abi::CuptiSourceLine, CUpti_GetSassToSourceCorrelationParams>(CUpti_GetSassToSourceCorrelationParamsSize);
  EXPECT_EQ(sizeof(abi::CuptiPlaceSetting), sizeof(CUpti_PCSamplingConfigurationInfo));
  EXPECT_EQ(offsetof(abi::CuptiPlaceSetting, value), offsetof(CUpti_PCSamplingConfigurationInfo, attributeData));
  EXPECT_EQ(sizeof(abi::CuptiStall), sizeof(CUpti_PCSamplingStallReason));
  EXPECT_EQ(offsetof(abi::CuptiPlace, function), offsetof(CUpti_PCSamplingPCData, functionName));
  EXPECT_EQ(offsetof(abi::CuptiPlace, stalls), offsetof(CUpti_PCSamplingPCData, stallReason));
  EXPECT_EQ(offsetof(abi::CuptiPlaceData, remaining), offsetof(CUpti_PCSamplingData, remainingNumPcs));
  EXPECT_EQ(offsetof(abi::CuptiPlaceData, places), offsetof(CUpti_PCSamplingData, pPcData));
  EXPECT_EQ(offsetof(abi::CuptiPlaceData, is_full), offsetof(CUpti_PCSamplingData, hardwareBufferFull));
  EXPECT_EQ(offsetof(abi::CuptiSourceLine, line), offsetof(CUpti_GetSassToSourceCorrelationParams, lineNumber));
  EXPECT_EQ(offsetof(abi::CuptiSourceLine, offset), offsetof(CUpti_GetSassToSourceCorrelationParams, pcOffset));
  EXPECT_EQ(static_cast<int>(abi::kCuptiPeriod), CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_SAMPLING_PERIOD);
  EXPECT_EQ(static_cast<int>(abi::kCuptiPlaceBuffer), CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_HARDWARE_BUFFER_SIZE);
  EXPECT_EQ(static_cast<int>(abi::kCuptiMode), CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_COLLECTION_MODE);
  EXPECT_EQ(static_cast<int>(abi::kCuptiStartStop), CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_ENABLE_START_STOP_CONTROL);
  EXPECT_EQ(static_cast<int>(abi::kCuptiDataBuffer), CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_SAMPLING_DATA_BUFFER);
  EXPECT_EQ(abi::kCuptiOneAtATime, static_cast<std::uint64_t>(CUPTI_PC_SAMPLING_COLLECTION_MODE_KERNEL_SERIALIZED));
  EXPECT_EQ(abi::kCuptiStallName, static_cast<std::size_t>(CUPTI_STALL_REASON_STRING_SIZE));
}

}  // namespace
}  // namespace fuselab::cuda
