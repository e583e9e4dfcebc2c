// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "backends/cuda/abi/cupti_abi.h"

// What Fuselab uses of CUPTI's two samplers, declared by hand (decision 0008): of counters over time ("PM sampling") and of the
// program counter ("PC sampling"). Values and layouts of CUPTI 13.0, cupti_pmsampling.h and cupti_pcsampling.h; tests/unit/cupti
// holds them against the headers where there are any.
namespace fuselab::cuda::abi {

inline constexpr std::int32_t kCuptiCounterSampler = 1;  // in the place of kCuptiRangeProfiler

struct CuptiSeriesAvailability {
  std::size_t size = sizeof(CuptiSeriesAvailability);
  void* reserved = nullptr;
  std::size_t device = 0;
  std::size_t bytes = 0;          // made where there is no image
  std::uint8_t* image = nullptr;  // filled
};

// The sampler's object alone: to start it, to stop it and to end it.
struct CuptiSeries {
  std::size_t size = sizeof(CuptiSeries);
  void* reserved = nullptr;
  void* series = nullptr;
};

struct CuptiSeriesEnable {
  std::size_t size = sizeof(CuptiSeriesEnable);
  void* reserved = nullptr;
  std::size_t device = 0;
  void* series = nullptr;  // made
};

struct CuptiSeriesDataSize {
  std::size_t size = sizeof(CuptiSeriesDataSize);
  void* reserved = nullptr;
  void* series = nullptr;
  const char** names = nullptr;
  std::size_t count = 0;
  std::uint32_t most_samples = 0;
  std::size_t bytes = 0;  // made
};

struct CuptiSeriesData {
  std::size_t size = sizeof(CuptiSeriesData);
  void* reserved = nullptr;
  void* series = nullptr;
  std::size_t bytes = 0;
  std::uint8_t* data = nullptr;
};

inline constexpr std::int32_t kCuptiByCycles = 0, kCuptiByTime = 1, kCuptiKeepOldest = 0;
struct CuptiSeriesConfig {
  std::size_t size = sizeof(CuptiSeriesConfig);
  void* reserved = nullptr;
  void* series = nullptr;
  std::size_t image_bytes = 0;
  const std::uint8_t* image = nullptr;
  std::size_t buffer_bytes = 0;
  std::uint64_t interval = 0;  // cycles of the system's clock, or nanoseconds
  std::int32_t trigger = kCuptiByTime;
  std::int32_t keep = kCuptiKeepOldest;
};

inline constexpr std::int32_t kCuptiDataFull = 1;
struct CuptiSeriesDecode {
  std::size_t size = offsetof(CuptiSeriesDecode, overflow) + 1;
  void* reserved = nullptr;
  void* series = nullptr;
  std::uint8_t* data = nullptr;
  std::size_t bytes = 0;
  std::int32_t stopped_by = 0;  // made
  std::uint8_t overflow = 0;    // made
};

struct CuptiSeriesInfo {
  std::size_t size = sizeof(CuptiSeriesInfo);
  void* reserved = nullptr;
  const std::uint8_t* data = nullptr;
  std::size_t bytes = 0;
  std::size_t total = 0, populated = 0, completed = 0;  // made
};

struct CuptiSeriesSample {
  std::size_t size = sizeof(CuptiSeriesSample);
  void* reserved = nullptr;
  void* series = nullptr;
  const std::uint8_t* data = nullptr;
  std::size_t bytes = 0;
  std::size_t index = 0;
  std::uint64_t start = 0, end = 0;  // made
};

struct CuptiSeriesFunctions {
  CuptiCode (*availability)(CuptiSeriesAvailability*);
  CuptiCode (*enable)(CuptiSeriesEnable*);
  CuptiCode (*disable)(CuptiSeries*);
  CuptiCode (*data_size)(CuptiSeriesDataSize*);
  CuptiCode (*begin_data)(CuptiSeriesData*);
  CuptiCode (*configure)(CuptiSeriesConfig*);
  CuptiCode (*start)(CuptiSeries*);
  CuptiCode (*stop)(CuptiSeries*);
  CuptiCode (*decode)(CuptiSeriesDecode*);
  CuptiCode (*info)(CuptiSeriesInfo*);
  CuptiCode (*sample)(CuptiSeriesSample*);
};

// The context alone: to enable the sampler of the program counter, to start, stop and disable it.
struct CuptiPlaces {
  std::size_t size = sizeof(CuptiPlaces);
  void* reserved = nullptr;
  void* context = nullptr;
};

struct CuptiStallCount {
  std::size_t size = sizeof(CuptiStallCount);
  void* reserved = nullptr;
  void* context = nullptr;
  std::size_t* count = nullptr;  // filled
};

inline constexpr std::size_t kCuptiStallName = 128;  // bytes of a name
struct CuptiStallNames {
  std::size_t size = sizeof(CuptiStallNames);
  void* reserved = nullptr;
  void* context = nullptr;
  std::size_t count = 0;
  std::uint32_t* indices = nullptr;  // filled
  char** names = nullptr;            // each of kCuptiStallName bytes, filled
};

struct CuptiStall {
  std::uint32_t index = 0, samples = 0;
};

struct CuptiPlace {
  std::size_t size = sizeof(CuptiPlace);
  std::uint64_t cubin = 0;  // its checksum
  std::uint64_t offset = 0;
  std::uint32_t function_index = 0, unused = 0;
  char* function = nullptr;  // shared among the records of one function; freed by the caller when all were read
  std::size_t stall_count = 0;
  CuptiStall* stalls = nullptr;
  std::uint32_t correlation = 0;
};

struct CuptiPlaceData {
  std::size_t size = sizeof(CuptiPlaceData);
  std::size_t most = 0;  // places that fit
  std::uint64_t samples = 0, dropped = 0;
  std::size_t filled = 0, remaining = 0;
  std::uint64_t range = 0;
  CuptiPlace* places = nullptr;
  std::uint64_t others = 0;  // samples of kernels that are not the program's
  std::uint8_t is_full = 0;  // the device's buffer
};

enum CuptiPlaceAttribute : std::int32_t {
  kCuptiPeriod = 1,  // 2 to the power of so many cycles, 5 to 31
  kCuptiPlaceBuffer = 4,
  kCuptiMode = 5,
  kCuptiStartStop = 6,
  kCuptiDataBuffer = 8,
};
inline constexpr std::uint64_t kCuptiOneAtATime = 2;  // a kernel runs when the one before has ended
// The value lies in the lowest bytes of its three words.
struct CuptiPlaceSetting {
  std::int32_t attribute = 0;
  CuptiCode answer = 0;  // made
  std::uint64_t value[3] = {};
};

struct CuptiPlaceConfig {
  std::size_t size = sizeof(CuptiPlaceConfig);
  void* reserved = nullptr;
  void* context = nullptr;
  std::size_t count = 0;
  CuptiPlaceSetting* settings = nullptr;
};

struct CuptiPlaceRead {
  std::size_t size = sizeof(CuptiPlaceRead);
  void* reserved = nullptr;
  void* context = nullptr;
  CuptiPlaceData* data = nullptr;
};

struct CuptiCubinChecksum {
  std::size_t size = sizeof(CuptiCubinChecksum);
  std::size_t bytes = 0;
  const void* cubin = nullptr;
  std::uint64_t checksum = 0;  // made
};

struct CuptiSourceLine {
  std::size_t size = sizeof(CuptiSourceLine);
  const void* cubin = nullptr;
  const char* function = nullptr;
  std::size_t bytes = 0;
  std::uint32_t line = 0;  // made
  std::uint64_t offset = 0;
  char* file = nullptr;  // made; freed by the caller
  char* folder = nullptr;
};

struct CuptiPlaceFunctions {
  CuptiCode (*enable)(CuptiPlaces*);
  CuptiCode (*disable)(CuptiPlaces*);
  CuptiCode (*start)(CuptiPlaces*);
  CuptiCode (*stop)(CuptiPlaces*);
  CuptiCode (*stall_count)(CuptiStallCount*);
  CuptiCode (*stall_names)(CuptiStallNames*);
  CuptiCode (*configure)(CuptiPlaceConfig*);
  CuptiCode (*read)(CuptiPlaceRead*);
  CuptiCode (*checksum)(CuptiCubinChecksum*);
  CuptiCode (*line)(CuptiSourceLine*);
};

}  // namespace fuselab::cuda::abi
