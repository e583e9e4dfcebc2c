// SPDX-License-Identifier: Apache-2.0
#include "tests/conformance/backend_case.h"

namespace fuselab::conformance {

void state_rocblas(BackendCase& backend) {
  backend.takes_part = true;
  backend.is_narrow = true;
  backend.unsupported = {
      {"Add/*", "it stands behind a product"},
      {"Gemm/*", "rocBLAS adds no bias"},
  };
}

}  // namespace fuselab::conformance
