// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

// What Fuselab uses of CUPTI, declared by hand (decision 0008). Its host side plans counters without a GPU, its range profiler
// counts on one. Values and layouts of CUPTI 13.0, cupti_profiler_host.h, cupti_range_profiler.h, cupti_profiler_target.h and
// cupti_target.h; tests/unit/cupti holds them against the headers where there are any. Each structure begins with its own size up
// to its last field, and a null pointer.
namespace fuselab::cuda::abi {

using CuptiCode = std::int32_t;
inline constexpr CuptiCode kCuptiSuccess = 0;
inline constexpr std::int32_t kCuptiRangeProfiler = 0;

struct CuptiHostInitialize {
  std::size_t size = offsetof(CuptiHostInitialize, host) + sizeof(void*);
  void* reserved = nullptr;
  std::int32_t profiler = kCuptiRangeProfiler;
  const char* chip = nullptr;
  const std::uint8_t* availability = nullptr;  // of a device's counters; null without one
  void* host = nullptr;                        // made
};

struct CuptiHostDeinitialize {
  std::size_t size = offsetof(CuptiHostDeinitialize, host) + sizeof(void*);
  void* reserved = nullptr;
  void* host = nullptr;
};

struct CuptiHostChips {
  std::size_t size = offsetof(CuptiHostChips, names) + sizeof(void*);
  void* reserved = nullptr;
  std::size_t count = 0;
  const char* const* names = nullptr;
};

struct CuptiHostAddMetrics {
  std::size_t size = offsetof(CuptiHostAddMetrics, count) + sizeof(std::size_t);
  void* reserved = nullptr;
  void* host = nullptr;
  const char** names = nullptr;
  std::size_t count = 0;
};

struct CuptiHostImageSize {
  std::size_t size = offsetof(CuptiHostImageSize, bytes) + sizeof(std::size_t);
  void* reserved = nullptr;
  void* host = nullptr;
  std::size_t bytes = 0;  // made
};

struct CuptiHostImage {
  std::size_t size = offsetof(CuptiHostImage, image) + sizeof(void*);
  void* reserved = nullptr;
  void* host = nullptr;
  std::size_t bytes = 0;
  std::uint8_t* image = nullptr;  // filled
};

struct CuptiHostPasses {
  std::size_t size = offsetof(CuptiHostPasses, passes) + sizeof(std::size_t);
  void* reserved = nullptr;
  std::size_t bytes = 0;
  std::uint8_t* image = nullptr;
  std::size_t passes = 0;  // made
};

struct CuptiHostEvaluate {
  std::size_t size = offsetof(CuptiHostEvaluate, values) + sizeof(void*);
  void* reserved = nullptr;
  void* host = nullptr;
  const std::uint8_t* data = nullptr;
  std::size_t bytes = 0;
  std::size_t range = 0;
  const char** names = nullptr;
  std::size_t count = 0;
  double* values = nullptr;  // filled
};

struct CuptiInitialize {
  std::size_t size = sizeof(CuptiInitialize);
  void* reserved = nullptr;
};

struct CuptiChipName {
  std::size_t size = offsetof(CuptiChipName, name) + sizeof(void*);
  void* reserved = nullptr;
  std::size_t device = 0;
  const char* name = nullptr;  // made
};

struct CuptiAvailability {
  std::size_t size = offsetof(CuptiAvailability, image) + sizeof(void*);
  void* reserved = nullptr;
  void* context = nullptr;
  std::size_t bytes = 0;          // made where there is no image
  std::uint8_t* image = nullptr;  // filled
};

// The range profiler's object alone: to end it, to start it, and to end a range.
struct CuptiRanges {
  std::size_t size = sizeof(CuptiRanges);
  void* reserved = nullptr;
  void* ranges = nullptr;
};

struct CuptiRangesEnable {
  std::size_t size = sizeof(CuptiRangesEnable);
  void* reserved = nullptr;
  void* context = nullptr;
  void* ranges = nullptr;  // made
};

struct CuptiRangesDataSize {
  std::size_t size = sizeof(CuptiRangesDataSize);
  void* reserved = nullptr;
  void* ranges = nullptr;
  const char** names = nullptr;
  std::size_t count = 0;
  std::size_t most_ranges = 1;
  std::uint32_t most_nodes = 1;
  std::size_t bytes = 0;  // made
};

struct CuptiRangesData {
  std::size_t size = sizeof(CuptiRangesData);
  void* reserved = nullptr;
  void* ranges = nullptr;
  std::size_t bytes = 0;
  std::uint8_t* data = nullptr;
};

inline constexpr std::int32_t kCuptiUserRange = 2, kCuptiUserReplay = 3;
struct CuptiRangesConfig {
  std::size_t size = offsetof(CuptiRangesConfig, target_level) + sizeof(std::uint16_t);
  void* reserved = nullptr;
  void* ranges = nullptr;
  std::size_t image_bytes = 0;
  const std::uint8_t* image = nullptr;
  std::size_t data_bytes = 0;
  std::uint8_t* data = nullptr;
  std::int32_t range = kCuptiUserRange;
  std::int32_t replay = kCuptiUserReplay;
  std::size_t most_ranges = 1;
  std::uint16_t levels = 1;
  std::uint16_t least_level = 1;
  std::size_t pass = 0;
  std::uint16_t target_level = 0;
};

struct CuptiRangesPush {
  std::size_t size = sizeof(CuptiRangesPush);
  void* reserved = nullptr;
  void* ranges = nullptr;
  const char* name = nullptr;
};

struct CuptiRangesStop {
  std::size_t size = offsetof(CuptiRangesStop, is_done) + 1;
  void* reserved = nullptr;
  void* ranges = nullptr;
  std::size_t pass = 0;
  std::size_t target_level = 0;
  std::uint8_t is_done = 0;  // made: all passes were counted
};

struct CuptiRangesDecode {
  std::size_t size = sizeof(CuptiRangesDecode);
  void* reserved = nullptr;
  void* ranges = nullptr;
  std::size_t dropped = 0;  // made
};

struct CuptiHostFunctions {
  CuptiCode (*version)(std::uint32_t*);
  CuptiCode (*initialize)(CuptiHostInitialize*);
  CuptiCode (*deinitialize)(CuptiHostDeinitialize*);
  CuptiCode (*chips)(CuptiHostChips*);
  CuptiCode (*add_metrics)(CuptiHostAddMetrics*);
  CuptiCode (*image_size)(CuptiHostImageSize*);
  CuptiCode (*image)(CuptiHostImage*);
  CuptiCode (*passes)(CuptiHostPasses*);
};

struct CuptiDeviceFunctions {
  CuptiCode (*initialize)(CuptiInitialize*);
  CuptiCode (*chip_name)(CuptiChipName*);
  CuptiCode (*availability)(CuptiAvailability*);
  CuptiCode (*evaluate)(CuptiHostEvaluate*);
  CuptiCode (*enable)(CuptiRangesEnable*);
  CuptiCode (*disable)(CuptiRanges*);
  CuptiCode (*data_size)(CuptiRangesDataSize*);
  CuptiCode (*begin_data)(CuptiRangesData*);
  CuptiCode (*configure)(CuptiRangesConfig*);
  CuptiCode (*start)(CuptiRanges*);
  CuptiCode (*push)(CuptiRangesPush*);
  CuptiCode (*pop)(CuptiRanges*);
  CuptiCode (*stop)(CuptiRangesStop*);
  CuptiCode (*decode)(CuptiRangesDecode*);
};

}  // namespace fuselab::cuda::abi
