// SPDX-License-Identifier: Apache-2.0
#include "tests/conformance/backend_case.h"

namespace fuselab::conformance {

void state_onnxruntime(BackendCase& backend) {
  backend.takes_part = true;
  backend.onnx_cases = 702;
  backend.unsupported = {
      {"Attention+*", "ONNX Runtime makes NaN of what a mask hides"},
  };
}

}  // namespace fuselab::conformance
