// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "backends/cuda/abi/driver_abi.h"
#include "backends/gpu/stream/driver.h"

namespace fuselab::cuda {

inline constexpr int kOldestCuda = 12000;  // least version that the driver must support: 1000 × major + 10 × minor

// The opened and initialised NVIDIA driver. Stays loaded for the process.
class CudaDriver final : public gpu::stream::Driver {
 public:
  // Looks for libcuda.so.1 ($FUSELAB_LIB_CUDA overrides) and initialises it.
  // Fails with kUnavailable and one line: "no NVIDIA driver here: libcuda.so.1 not found", "the NVIDIA driver is too old: it
  // supports CUDA 11.4, 12.0 is needed", "no CUDA device (cuInit: …)".
  static Result<std::shared_ptr<const CudaDriver>> open();

  std::string version() const;  // the version of CUDA that it supports: "13.0"

 private:
  CudaDriver();
};

// Returns the version of CUDA that the driver here supports, 12080 for 12.8, without starting it; nothing without a driver that is
// new enough.
std::optional<int> supported_cuda();

}  // namespace fuselab::cuda
