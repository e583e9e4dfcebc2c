// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/backend/device_info.h"
#include "core/store/result_store.h"

namespace fuselab::engine {

// The backend that runs a piece that nobody chose a backend for: the one chosen for most of the pieces measured on this machine, or
// the registry's initial one (R25) while nothing is measured.
struct DefaultBackend {
  std::string id;
  int pieces = 0;  // pieces it was chosen for; 0: nothing is measured here, and it is the initial one
  int measured = 0;
  bool set = false;  // by the user, whatever was measured
  bool usable = false;
  std::string why_not;  // when it is not usable here
};

// `environments` are those of environments_here(): choices made on another machine, or before this one changed, do not count.
// Neither do choices of synthetic devices.
DefaultBackend default_backend(const std::vector<DefaultChoiceRecord>& newest_first,
                               const std::map<std::string, std::string>& environments, const std::vector<BackendReport>& backends);

}  // namespace fuselab::engine
