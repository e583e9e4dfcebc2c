// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <set>
#include <string>

#include "backends/cuda/abi/nvrtc_abi.h"
#include "core/base/result.h"

namespace fuselab::cuda {

// The opened NVRTC. Stays loaded for the process. Thread-safe.
class NvrtcLibrary {
 public:
  // Looks for libnvrtc.so.13 and .12, in pip's folders too ($FUSELAB_LIB_NVRTC overrides). kUnavailable in one line.
  static Result<std::shared_ptr<const NvrtcLibrary>> open();

  const abi::NvrtcFunctions& calls() const { return calls_; }
  std::string version() const { return std::to_string(major_) + "." + std::to_string(minor_); }
  // Compute capabilities that it makes code for: 75, 80, …
  const std::set<int>& architectures() const { return architectures_; }

 private:
  NvrtcLibrary() = default;
  Status read_architectures();

  abi::NvrtcFunctions calls_{};
  int major_ = 0, minor_ = 0;
  std::set<int> architectures_;
};

}  // namespace fuselab::cuda
