// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

// What Fuselab uses of CUPTI's host side, declared by hand (decision 0008): it plans counters without a GPU. Values and layouts of
// CUPTI 13.0, cupti_profiler_host.h; tests/unit/cupti holds them against the header where there is one.
// Each structure begins with its own size up to its last field, and a null pointer.
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

}  // namespace fuselab::cuda::abi
