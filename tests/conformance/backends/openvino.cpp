// SPDX-License-Identifier: Apache-2.0
#include "tests/conformance/backend_case.h"

namespace fuselab::conformance {

void state_openvino(BackendCase& backend) {
  backend.takes_part = true;
  backend.onnx_cases = 622;  // on AVX-512, where comparisons are refused; 628 elsewhere
  backend.unsupported = {
      {"Attention+*", "OpenVINO gives 0 where a mask hides NaN and infinity"},
      {"LSTM+all/*", "OpenVINO has no activations with numbers of their own in LSTM"},
      {"GRU+linear/*", "OpenVINO has no activations with numbers of their own in GRU"},
      {"RNN+all/*", "OpenVINO has no activations with numbers of their own in RNN"},
  };
}

}  // namespace fuselab::conformance
