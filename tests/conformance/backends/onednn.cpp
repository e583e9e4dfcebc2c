// SPDX-License-Identifier: Apache-2.0
#include "backends/onednn/onednn_backend.h"

#include "tests/conformance/backends/backends.h"

namespace fuselab::conformance {

BackendCase onednn_case() {
  BackendCase backend;
  backend.id = "onednn";
  backend.make = make_onednn_backend;
  backend.takes_part = true;
  backend.onnx_cases = 289;
  backend.unsupported = {
      {"LayerNormalization/bf16", "oneDNN takes its factors in f32 only"},
      {"LayerNormalization/f16", "oneDNN takes its factors in f32 only"},
      {"BatchNormalization/bf16", "oneDNN takes its factors in f32 only"},
      {"BatchNormalization/f16", "oneDNN takes its factors in f32 only"},
      {"s1-rmsnorm", "oneDNN 2.x and 3.2 have no RMSNormalization"},
      {"s1-apply-rope", "oneDNN has no Slice and no Concat"},
  };
  return backend;
}

}  // namespace fuselab::conformance
