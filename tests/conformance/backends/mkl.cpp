// SPDX-License-Identifier: Apache-2.0
#include "tests/conformance/backend_case.h"

namespace fuselab::conformance {

void state_mkl(BackendCase& backend) {
  backend.takes_part = true;
  backend.onnx_cases = 154;
  backend.unsupported = {
      {"s1-rmsnorm", "MKL has no normalizations"},
      {"s1-softmax*", "MKL has no Softmax"},
      {"s1-apply-rope", "MKL has no Slice and no Concat of tensors"},
  };
}

}  // namespace fuselab::conformance
