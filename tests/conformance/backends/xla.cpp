// SPDX-License-Identifier: Apache-2.0
#include "tests/conformance/backend_case.h"

namespace fuselab::conformance {

void state_xla(BackendCase& backend) {
  backend.takes_part = true;
  backend.onnx_cases = 1;
}

}  // namespace fuselab::conformance
