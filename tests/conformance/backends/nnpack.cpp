// SPDX-License-Identifier: Apache-2.0
#include "tests/conformance/backend_case.h"

namespace fuselab::conformance {

void state_nnpack(BackendCase& backend) {
  backend.takes_part = true;
  backend.is_narrow = true;
  backend.unsupported = {
      {"Relu/f32", "NNPACK's Relu stands behind a convolution"},
      {"Conv+1d/f32", "NNPACK convolves images"},
      {"Conv+3d/f32", "NNPACK convolves images"},
  };
}

}  // namespace fuselab::conformance
