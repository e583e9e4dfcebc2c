// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstddef>
#include <span>
#include <string>

namespace fuselab::cuda {

struct CudaVersion {
  int major = 0;
  int minor = 0;
  auto operator<=>(const CudaVersion&) const = default;
  std::string text() const { return std::to_string(major) + "." + std::to_string(minor); }
};

// Returns the index of the compiler that suits a driver best: the newest that is not newer than it; else, as all are newer, the
// oldest, whose cubins are most likely to be accepted. `found` has at least one.
std::size_t choose_nvrtc(std::span<const CudaVersion> found, CudaVersion driver);

// Returns one line about a compiler that is newer than the driver; empty where it is not newer. Cubins of the driver's own major
// version load on it, PTX does not (CUDA Compatibility, "Minor Version Compatibility"); Fuselab loads cubins.
std::string note_beside(CudaVersion nvrtc, CudaVersion driver);

}  // namespace fuselab::cuda
