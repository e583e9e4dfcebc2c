// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "backends/cuda/abi/driver_abi.h"
#include "core/base/result.h"

namespace fuselab::cuda {

inline constexpr int kOldestCuda = 12000;  // least version that the driver must support: 1000 × major + 10 × minor

// The opened and initialised NVIDIA driver. Stays loaded for the process. Thread-safe; a context is current per thread.
class CudaDriver {
 public:
  // Looks for libcuda.so.1 ($FUSELAB_LIB_CUDA overrides) and initialises it.
  // Fails with kUnavailable and one line: "no NVIDIA driver here: libcuda.so.1 not found", "the NVIDIA driver is too old: it
  // supports CUDA 11.4, 12.0 is needed", "no CUDA device (cuInit: …)".
  static Result<std::shared_ptr<const CudaDriver>> open();

  const abi::DriverFunctions& calls() const { return calls_; }
  std::string version() const;  // the version of CUDA that it supports: "13.0"
  int version_number() const { return version_; }
  // Returns a code's name: "CUDA_ERROR_ILLEGAL_ADDRESS (700)".
  std::string name_of(abi::Code code) const;
  // Returns success, or an error with the action: "cuMemAlloc of 4 GiB: CUDA_ERROR_OUT_OF_MEMORY (2)".
  Status check(abi::Code code, const std::string& what) const;

 private:
  CudaDriver() = default;

  abi::DriverFunctions calls_{};
  int version_ = 0;
};

// Returns the version of CUDA that the driver here supports, 12080 for 12.8, without starting it; nothing without a driver that is
// new enough.
std::optional<int> supported_cuda();

// Returns true for a code after which no call of the process succeeds any more: a kernel faulted, or the device is gone.
bool is_fatal(abi::Code code);
// Returns the error code that a trial gets for this code.
ErrorCode error_code_of(abi::Code code);

}  // namespace fuselab::cuda
