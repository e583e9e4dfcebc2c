// SPDX-License-Identifier: Apache-2.0
#include "backends/cuda/cuda_backend.h"

#include "tests/conformance/backends/backends.h"

namespace fuselab::conformance {

BackendCase cuda_case() {
  BackendCase backend;
  backend.id = "cuda";
  backend.make = make_cuda_backend;
  backend.unsupported = {{"RotaryEmbedding+interleaved*", "pairs that lie beside each other are not generated for it"}};
  return backend;
}

}  // namespace fuselab::conformance
