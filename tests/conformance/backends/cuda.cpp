// SPDX-License-Identifier: Apache-2.0
#include "tests/conformance/backend_case.h"

namespace fuselab::conformance {

void state_cuda(BackendCase& backend) {
  backend.unsupported = {};
}

}  // namespace fuselab::conformance
