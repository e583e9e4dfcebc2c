// SPDX-License-Identifier: Apache-2.0
#include "tests/conformance/backend_case.h"

namespace fuselab::conformance {

// The kernels are cpu's, which the suite tries in full: what is OpenMP's own is the same around all of them.
void state_openmp(BackendCase& backend) {
  backend.one_in = 4;
}

}  // namespace fuselab::conformance
