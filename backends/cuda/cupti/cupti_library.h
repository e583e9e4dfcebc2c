// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "backends/cuda/abi/cupti_abi.h"
#include "backends/loading/vendor_library.h"
#include "core/base/result.h"

namespace fuselab::cuda {

// CUPTI, opened; it stays loaded. Used by one thread.
class CuptiLibrary {
 public:
  // Looks for libcupti.so.13, libcupti.so.12; $FUSELAB_LIB_CUPTI overrides.
  // Fails with kUnavailable and one line where there is none, or one that does not answer here.
  static Result<CuptiLibrary> open(const loading::Surroundings& surroundings);

  const abi::CuptiHostFunctions& host() const { return host_; }
  // Null functions where the library has none of them.
  const abi::CuptiDeviceFunctions& device() const { return device_; }
  // Fails with kUnavailable where the library cannot count on a device.
  Status counts() const;
  std::uint32_t version() const { return version_; }
  // Starts counting in this process and returns CUPTI's name of a device's chip: "GH100".
  Result<std::string> start(int ordinal) const;
  std::string name() const;  // "CUPTI 13.0.1"
  const loading::OpenedLibrary& opened() const { return opened_; }

 private:
  loading::OpenedLibrary opened_;
  abi::CuptiHostFunctions host_{};
  abi::CuptiDeviceFunctions device_{};
  std::uint32_t version_ = 0;
};

// Where a function's address is put.
template <typename F>
void** slot_of(F& function) {
  return reinterpret_cast<void**>(&function);
}

// Returns success, or an error with the action and what the code means: who may count, and what would permit it.
Status check_cupti(abi::CuptiCode code, const std::string& what);

// Why a counter has no value.
inline constexpr const char* kCountedNothing =
    "CUPTI counted nothing: a part of a divided GPU (MIG) has no such counter of its own";

// Asks what a device may count: first how long the answer is, then the answer. `asked` names the device.
template <typename Availability>
Result<std::vector<std::uint8_t>> availability_of(abi::CuptiCode (*ask)(Availability*), Availability asked, const char* what) {
  FL_TRY_VOID(check_cupti(ask(&asked), what));
  std::vector<std::uint8_t> image(asked.bytes);
  asked.image = image.data();
  FL_TRY_VOID(check_cupti(ask(&asked), what));
  return image;
}

// The library's object for the counters of one chip, given back with the scope.
class CuptiChip {
 public:
  // `availability`: what a device says of its counters; empty without one. `profiler`: for which of CUPTI's profilers. is_open()
  // tells whether the library knows the chip.
  CuptiChip(const CuptiLibrary& library, const std::string& chip, const std::vector<std::uint8_t>& availability = {},
            std::int32_t profiler = abi::kCuptiRangeProfiler);
  CuptiChip(const CuptiChip&) = delete;
  CuptiChip& operator=(const CuptiChip&) = delete;
  ~CuptiChip();

  bool is_open() const { return object_ != nullptr; }
  // Returns the configuration that counts these; empty where the chip lacks one of them. Asked once.
  Result<std::vector<std::uint8_t>> image_of(const std::vector<std::string>& names) const;
  // Returns the launches that these counters take together; 0 where the chip lacks one of them. Asked once.
  Result<std::size_t> passes_of(const std::vector<std::string>& names) const;
  // Returns the values that were counted in one range, or in one interval; NaN where one was not.
  Result<std::vector<double>> values_of(const std::vector<std::string>& names, const std::vector<std::uint8_t>& data,
                                        std::size_t range, const char* what) const;

 private:
  const CuptiLibrary& library_;
  void* object_ = nullptr;
};

}  // namespace fuselab::cuda
