// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "core/backend/backend.h"
#include "tests/device/primitives/primitive_case.h"

namespace fuselab::primitives {

// What came of a case on a device: "ok", "wrong", "skipped" or "failed", one line that says why, and the map of lanes that came out
// where the case has one and it is wrong.
struct Verdict {
  std::string state;
  std::string text;
  std::string lane_map;
};

// Compiles the case's text, runs it through the backend's runtime and compares. A kernel that makes the device useless ends the
// process, as it does a worker.
Verdict check_on(FusionBackend& backend, DeviceRuntime& runtime, const PrimitiveCase& one);

}  // namespace fuselab::primitives
