// SPDX-License-Identifier: Apache-2.0
#include "backends/cpu/cpu_backend.h"

#include "tests/conformance/backends/backends.h"

namespace fuselab::conformance {

BackendCase cpu_case() {
  BackendCase backend;
  backend.id = "cpu";
  backend.make = make_cpu_backend;
  backend.onnx_cases = 735;
  return backend;
}

}  // namespace fuselab::conformance
