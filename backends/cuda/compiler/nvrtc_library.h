// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <set>
#include <string>

#include "backends/cuda/abi/nvrtc_abi.h"
#include "backends/cuda/compiler/nvrtc_choice.h"
#include "core/base/result.h"

namespace fuselab::cuda {

// The opened NVRTC. Stays loaded for the process. Thread-safe.
class NvrtcLibrary {
 public:
  // Looks for libnvrtc.so.13 and .12, in pip's folders too ($FUSELAB_LIB_NVRTC overrides), and for what `fuselab backends install
  // nvrtc` fetched. Takes the one that choose_nvrtc() selects for a driver of that version of CUDA (12080 for 12.8). Without a
  // driver it takes the fetched one, else the first. Fails with kUnavailable and one line.
  static Result<std::shared_ptr<const NvrtcLibrary>> open(std::optional<int> driver);

  const abi::NvrtcFunctions& calls() const { return calls_; }
  std::string version() const { return version_.text(); }
  const std::string& path() const { return path_; }
  // Returns a note about its fit to that driver, in one line; mostly empty.
  const std::string& note() const { return note_; }
  // Returns the compute capabilities that it makes code for: 75, 80, …
  const std::set<int>& architectures() const { return architectures_; }

 private:
  NvrtcLibrary() = default;
  Status read_architectures();

  abi::NvrtcFunctions calls_{};
  CudaVersion version_;
  std::string path_;
  std::string note_;
  std::set<int> architectures_;
};

}  // namespace fuselab::cuda
