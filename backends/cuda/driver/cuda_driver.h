// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "backends/cuda/abi/driver_abi.h"
#include "core/base/result.h"

namespace fuselab::cuda {

inline constexpr int kOldestCuda = 12000;  // what the driver must support: 1000 × major + 10 × minor

// The opened and initialised NVIDIA driver. Stays loaded for the process. Thread-safe; a context is current per thread.
class CudaDriver {
 public:
  // Looks for libcuda.so.1 ($FUSELAB_LIB_CUDA overrides) and initialises it. kUnavailable in one line: "no NVIDIA driver here:
  // libcuda.so.1 not found", "the NVIDIA driver is too old: it supports CUDA 11.4, 12.0 is needed", "no CUDA device (cuInit: …)".
  static Result<std::shared_ptr<const CudaDriver>> open();

  const abi::DriverFunctions& calls() const { return calls_; }
  std::string version() const;  // of CUDA that it supports: "13.0"
  int version_number() const { return version_; }
  // "CUDA_ERROR_ILLEGAL_ADDRESS (700)"
  std::string name_of(abi::Code code) const;
  // Success, or the error with what was being done: "cuMemAlloc of 4 GiB: CUDA_ERROR_OUT_OF_MEMORY (2)".
  Status check(abi::Code code, const std::string& what) const;

 private:
  CudaDriver() = default;

  abi::DriverFunctions calls_{};
  int version_ = 0;
};

// The version of CUDA that the driver here supports, 12080 for 12.8, without starting it; none without a driver that is new enough.
std::optional<int> supported_cuda();

// After these no call of the process succeeds any more: a kernel faulted, or the device is gone.
bool is_fatal(abi::Code code);
// What the code means for a trial.
ErrorCode error_code_of(abi::Code code);

}  // namespace fuselab::cuda
