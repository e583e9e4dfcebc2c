// SPDX-License-Identifier: Apache-2.0
#include "tests/conformance/backend_case.h"

namespace fuselab::conformance {

void state_onednn(BackendCase& backend) {
  backend.takes_part = true;
  backend.onnx_cases = 303;
  backend.unsupported = {
      {"LayerNormalization/bf16", "oneDNN takes its factors in f32 only"},
      {"LayerNormalization/f16", "oneDNN takes its factors in f32 only"},
      {"BatchNormalization/bf16", "oneDNN takes its factors in f32 only"},
      {"BatchNormalization/f16", "oneDNN takes its factors in f32 only"},
      {"s1-rmsnorm", "oneDNN 2.x and 3.2 have no RMSNormalization"},
      {"s1-apply-rope", "oneDNN has no Slice and no Concat"},
  };
}

}  // namespace fuselab::conformance
