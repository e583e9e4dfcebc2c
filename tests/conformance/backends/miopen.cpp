// SPDX-License-Identifier: Apache-2.0
#include "tests/conformance/backend_case.h"

namespace fuselab::conformance {

void state_miopen(BackendCase& backend) {
  backend.takes_part = true;
  backend.is_narrow = true;
  backend.unsupported = {
      {"Relu/*", "it stands behind a convolution"}, {"Sigmoid/*", "it stands behind a convolution"},
      {"Tanh/*", "it stands behind a convolution"}, {"Conv+1d/*", "MIOpen is asked for images"},
      {"Conv+3d/*", "MIOpen is asked for images"},
  };
}

}  // namespace fuselab::conformance
