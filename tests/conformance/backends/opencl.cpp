// SPDX-License-Identifier: Apache-2.0
#include "backends/opencl/opencl_backend.h"

#include "tests/conformance/backends/backends.h"

namespace fuselab::conformance {

BackendCase opencl_case() {
  BackendCase backend;
  backend.id = "opencl";
  backend.make = make_opencl_backend;
  backend.one_in = 10;  // each kernel takes a driver half a second
  backend.onnx_cases = 735;
  backend.onnx_one_in = 32;
  return backend;
}

}  // namespace fuselab::conformance
