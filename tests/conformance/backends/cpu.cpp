// SPDX-License-Identifier: Apache-2.0
#include "tests/conformance/backend_case.h"

namespace fuselab::conformance {

void state_cpu(BackendCase& backend) {
  backend.onnx_cases = 749;
}

}  // namespace fuselab::conformance
