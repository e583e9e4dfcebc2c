// SPDX-License-Identifier: Apache-2.0
#include "tests/conformance/backend_case.h"

namespace fuselab::conformance {

void state_opencl(BackendCase& backend) {
  backend.one_in = 10;  // each kernel takes a driver half a second
  backend.onnx_cases = 735;
  backend.onnx_one_in = 32;
}

}  // namespace fuselab::conformance
