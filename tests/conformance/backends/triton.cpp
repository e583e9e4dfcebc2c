// SPDX-License-Identifier: Apache-2.0
#include "tests/conformance/backend_case.h"

namespace fuselab::conformance {

void state_triton(BackendCase& backend) {
  backend.takes_part = true;
  backend.unsupported = {};
}

}  // namespace fuselab::conformance
