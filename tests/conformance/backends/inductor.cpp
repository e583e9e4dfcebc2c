// SPDX-License-Identifier: Apache-2.0
#include "tests/conformance/backend_case.h"

namespace fuselab::conformance {

void state_inductor(BackendCase& backend) {
  backend.takes_part = true;
  backend.one_in = 30;  // each compilation takes ten seconds
  backend.unsupported = {
      {"Attention+added/*", "PyTorch takes a mask or is_causal, not both"},
  };
}

}  // namespace fuselab::conformance
