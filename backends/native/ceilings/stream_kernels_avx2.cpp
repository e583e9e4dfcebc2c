// SPDX-License-Identifier: Apache-2.0
#include <cstddef>

namespace fuselab::cpu {
namespace {
constexpr std::size_t kVectorBytes = 32;
constexpr const char* kName = "AVX2";
}  // namespace
}  // namespace fuselab::cpu

#include "backends/native/ceilings/stream_kernels_body.inc"

namespace fuselab::cpu {

const StreamKernels& avx2_stream_kernels() {
  static const StreamKernels kernels = make_kernels();
  return kernels;
}

}  // namespace fuselab::cpu
