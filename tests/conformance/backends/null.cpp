// SPDX-License-Identifier: Apache-2.0
#include "backends/null/null_backend.h"

#include "tests/conformance/backends/backends.h"

namespace fuselab::conformance {

BackendCase null_case() {
  BackendCase backend;
  backend.id = "null";
  backend.make = make_null_backend;
  backend.usable_everywhere = true;
  backend.compiles_in_no_time = true;
  return backend;
}

}  // namespace fuselab::conformance
