// SPDX-License-Identifier: Apache-2.0
#include "tests/conformance/backend_case.h"

#include <fnmatch.h>

#include <cstdlib>

#include "core/base/assert.h"

namespace fuselab::conformance {

// CMakeLists.txt writes EACH(cpu) EACH(cuda) … for the files of the folder backends.
#define EACH(id) void state_##id(BackendCase& backend);
FUSELAB_CONFORMANCE_STATED
#undef EACH

namespace {

struct Stated {
  std::string_view id;
  void (*state)(BackendCase& backend);
};
#define EACH(id) {#id, state_##id},
constexpr Stated kStated[] = {{"", nullptr}, FUSELAB_CONFORMANCE_STATED};
#undef EACH

}  // namespace

BackendCase case_of(std::string_view id) {
  BackendCase backend;
  backend.id = id;
  backend.row = find_backend_info(id);
  FL_ASSERT(backend.row != nullptr);
  backend.usable_everywhere = backend.compiles_in_no_time = backend.row->runs_on == RunsOn::kSoftware;
  for (const auto& stated : kStated) {
    if (stated.id == id) stated.state(backend);
  }
  return backend;
}

std::vector<BackendCase> all_cases(bool narrow_too) {
  std::vector<BackendCase> cases;
  for (const auto id : built_backends()) {
    if (BackendCase each = case_of(id); narrow_too || !each.is_narrow) cases.push_back(std::move(each));
  }
  return cases;
}

const Unsupported* find_unsupported(const BackendCase& backend, const std::string& what) {
  for (const auto& exception : backend.unsupported) {
    if (fnmatch(exception.pattern.c_str(), what.c_str(), 0) == 0) return &exception;
  }
  return nullptr;
}

Opened open_first_device(const BackendCase& backend) {
  Opened opened;
  opened.backend = backend.make();
  if (const auto availability = opened.backend->probe(); !availability.usable) {
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
