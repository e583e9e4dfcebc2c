// SPDX-License-Identifier: Apache-2.0
#include "tests/conformance/backend_case.h"

namespace fuselab::conformance {

void state_hipblaslt(BackendCase& backend) {
  backend.takes_part = true;
  backend.is_narrow = true;
  backend.unsupported = {
      {"Add/*", "it stands behind a product"},
      {"Relu/*", "it stands behind a product"},
      {"Gelu/*", "it stands behind a product"},
  };
}

}  // namespace fuselab::conformance
