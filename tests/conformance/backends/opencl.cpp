// SPDX-License-Identifier: Apache-2.0
#include "backends/opencl/opencl_backend.h"

#include "tests/conformance/backends/backends.h"

namespace fuselab::conformance {

BackendCase opencl_case() {
  BackendCase backend;
  backend.id = "opencl";
  backend.make = make_opencl_backend;
  backend.one_in = 6;  // each kernel takes a driver half a second
  for (const char* pattern :
       {"MatMul/*", "Gemm/*", "Conv/*", "Attention/*", "s1-matmul*", "s1-attention-scores", "s1-weighted-sum-rows"}) {
    backend.unsupported.push_back({pattern, "contractions and attention are not generated for it yet"});
  }
  for (const char* pattern : {"Reshape/*", "Flatten/*", "Unsqueeze/*", "Squeeze/*", "Concat/*", "Slice/*", "Split/*", "Transpose/*",
                              "Expand/*", "Gather/*"}) {
    backend.unsupported.push_back({pattern, "kernels that only move data are not generated for it yet"});
  }
  for (const char* pattern : {"MaxPool/*", "AveragePool/*"}) {
    backend.unsupported.push_back({pattern, "pools are not generated for it yet"});
  }
  return backend;
}

}  // namespace fuselab::conformance
