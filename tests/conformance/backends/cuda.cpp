// SPDX-License-Identifier: Apache-2.0
#include "backends/cuda/cuda_backend.h"

#include "tests/conformance/backends/backends.h"

namespace fuselab::conformance {

BackendCase cuda_case() {
  BackendCase backend;
  backend.id = "cuda";
  backend.make = make_cuda_backend;
  backend.unsupported = {
      {"RotaryEmbedding+interleaved*", "pairs that lie beside each other are not generated for it"},
      {"Cast+to_f64/*16", "half and double precision in one kernel"},
      {"Cast+to_*16/f64", "half and double precision in one kernel"},
      {"Reduce*+middle/*", "rows along the last axes alone are generated for it"},
      {"*Softmax+middle/*", "rows along the last axis alone are generated for it"},
  };
  return backend;
}

}  // namespace fuselab::conformance
