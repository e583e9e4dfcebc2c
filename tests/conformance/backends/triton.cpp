// SPDX-License-Identifier: Apache-2.0
#include "tests/conformance/backend_case.h"

namespace fuselab::conformance {

void state_triton(BackendCase& backend) {
  backend.takes_part = true;
  backend.unsupported = {
      {"Sign/i*", "of whole numbers"},
      {"Div/i*", "of whole numbers"},
      {"Pow/*", "only constant exponents: small whole numbers and halves"},
      {"Reduce*/i*", "of whole numbers"},
      {"MatMul/i*", "of whole numbers"},
      {"Gemm/i*", "of whole numbers"},
      {"MaxPool/[ib]*", "of whole numbers"},
      {"RotaryEmbedding+*", "of a part of the width, or with positions"},
      {"Pad/*", "other modes than constant"},
  };
}

}  // namespace fuselab::conformance
