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

// Which of these compilers goes best with a driver: the newest that is not newer than it; else, as all are newer, the oldest, whose
// cubins are most likely to be taken. `found` has at least one.
std::size_t choose_nvrtc(std::span<const CudaVersion> found, CudaVersion driver);

// What a compiler that is newer than the driver means for its kernels, in one line; empty where it is not newer. Cubins of the
// driver's own major version load on it, PTX does not (CUDA Compatibility, "Minor Version Compatibility"); we load cubins.
std::string note_beside(CudaVersion nvrtc, CudaVersion driver);

}  // namespace fuselab::cuda
