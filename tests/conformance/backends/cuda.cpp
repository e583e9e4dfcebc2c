// SPDX-License-Identifier: Apache-2.0
#include "tests/conformance/backend_case.h"

namespace fuselab::conformance {

void state_cuda(BackendCase& backend) {
  backend.unsupported = {
      {"RotaryEmbedding+interleaved*", "pairs that lie beside each other are not generated for it"},
      {"Cast+to_f64/*16", "half and double precision in one kernel"},
      {"Cast+to_*16/f64", "half and double precision in one kernel"},
      {"Reduce*+middle/*", "rows along the last axes alone are generated for it"},
      {"*Softmax+middle/*", "rows along the last axis alone are generated for it"},
  };
}

}  // namespace fuselab::conformance
