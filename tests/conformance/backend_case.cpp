// SPDX-License-Identifier: Apache-2.0
#include "tests/conformance/backend_case.h"

#include <fnmatch.h>

#include <cstdlib>

#include "tests/conformance/backends/backends.h"

namespace fuselab::conformance {

std::vector<BackendCase> all_cases() {
  return {FUSELAB_CONFORMANCE_CASES};  // CMakeLists.txt: those that are built
}

const Unsupported* find_unsupported(const BackendCase& backend, const std::string& what) {
  for (auto const& exception : backend.unsupported) {
    if (fnmatch(exception.pattern.c_str(), what.c_str(), 0) == 0) return &exception;
  }
  return nullptr;
}

Opened open_first_device(const BackendCase& backend) {
  Opened opened;
  opened.backend = backend.make();
  if (auto const availability = opened.backend->probe(); !availability.usable) {
    opened.why_not = availability.reason;
    return opened;
  }
  auto devices = opened.backend->enumerate();
  if (!devices.ok() || devices.value().empty()) {
    opened.why_not = devices.ok() ? "no device found" : devices.error().message;
    return opened;
  }
  opened.device = devices.value().front();
  auto runtime = opened.backend->open(opened.device);
  if (runtime.ok()) {
    opened.runtime = std::move(runtime).value();
  } else {
    opened.why_not = runtime.error().message;
  }
  return opened;
}

}  // namespace fuselab::conformance
