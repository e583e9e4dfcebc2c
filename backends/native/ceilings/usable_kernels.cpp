// SPDX-License-Identifier: Apache-2.0
#include "backends/native/ceilings/usable_kernels.h"

namespace fuselab::cpu {

const std::vector<const StreamKernels*>& usable_stream_kernels() {
  static const std::vector<const StreamKernels*> usable = [] {
    __builtin_cpu_init();
    std::vector<const StreamKernels*> found;
    if (__builtin_cpu_supports("avx512f")) found.push_back(&avx512_stream_kernels());
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) found.push_back(&avx2_stream_kernels());
    found.push_back(&baseline_stream_kernels());
    return found;
  }();
  return usable;
}

const StreamKernels& best_stream_kernels() {
  return *usable_stream_kernels().front();
}

}  // namespace fuselab::cpu
