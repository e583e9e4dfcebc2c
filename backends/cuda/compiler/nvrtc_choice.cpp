// SPDX-License-Identifier: Apache-2.0
#include "backends/cuda/compiler/nvrtc_choice.h"

namespace fuselab::cuda {

std::size_t choose_nvrtc(std::span<const CudaVersion> found, CudaVersion driver) {
  std::size_t best = 0;
  for (std::size_t i = 1; i < found.size(); ++i) {
    const bool fits = found[i] <= driver, best_fits = found[best] <= driver;
    if (fits == best_fits ? (fits ? found[i] > found[best] : found[i] < found[best]) : fits) best = i;
  }
  return best;
}

std::string note_beside(CudaVersion nvrtc, CudaVersion driver) {
  if (nvrtc <= driver) return "";
  const std::string newer = "NVRTC " + nvrtc.text() + " is newer than the driver's CUDA " + driver.text();
  if (nvrtc.major == driver.major) return newer + ": its cubins load all the same, its PTX would not";
  return newer + ", which may refuse its kernels: update the driver, or install an NVRTC " + std::to_string(driver.major);
}

}  // namespace fuselab::cuda
