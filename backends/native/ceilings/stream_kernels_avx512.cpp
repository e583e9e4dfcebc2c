// SPDX-License-Identifier: Apache-2.0
#include <cstddef>

namespace fuselab::cpu {
namespace {
constexpr std::size_t kVectorBytes = 64;
constexpr const char* kName = "AVX-512";
}  // namespace
}  // namespace fuselab::cpu

#include "backends/native/ceilings/stream_kernels_body.inc"

namespace fuselab::cpu {

const StreamKernels& avx512_stream_kernels() {
  static const StreamKernels kernels = make_kernels();
  return kernels;
}

}  // namespace fuselab::cpu
