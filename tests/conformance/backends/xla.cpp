// SPDX-License-Identifier: Apache-2.0
#include "tests/conformance/backend_case.h"

namespace fuselab::conformance {

void state_xla(BackendCase& backend) {
  backend.takes_part = true;
  backend.onnx_cases = 410;
  backend.unsupported = {
      {"RotaryEmbedding+position_ids/f32", "positions are not written in StableHLO"},
      {"RotaryEmbedding+interleaved/f32", "interleaved pairs are not written in StableHLO"},
      {"RotaryEmbedding+interleaved_flat/f32", "interleaved pairs are not written in StableHLO"},
  };
}

}  // namespace fuselab::conformance
