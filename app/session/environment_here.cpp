// SPDX-License-Identifier: Apache-2.0
#include "app/session/environment_here.h"

#include "core/base/version.h"
#include "core/platform/machine.h"

namespace fuselab::session {

std::map<std::string, std::string> environments_here(const std::vector<BackendReport>& backends) {
  auto const machine = platform::machine_facts();
  std::map<std::string, std::string> keys;
  for (const BackendReport& report : backends) {
    for (const DeviceInfo& device : report.devices)
      keys[device.id] = platform::environment_identity(machine, device, std::string(tool_version())).key().hex();
  }
  return keys;
}

}  // namespace fuselab::session
