// SPDX-License-Identifier: Apache-2.0
#include "tests/conformance/backend_case.h"

namespace fuselab::conformance {

void state_torch(BackendCase& backend) {
  backend.takes_part = true;
  backend.onnx_cases = 522;
  backend.unsupported = {
      {"Attention+added/*", "PyTorch takes a mask or is_causal, not both"},
  };
}

}  // namespace fuselab::conformance
