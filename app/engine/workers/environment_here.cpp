// SPDX-License-Identifier: Apache-2.0
#include "app/engine/workers/environment_here.h"

#include "core/base/version.h"
#include "core/platform/machine/machine.h"

namespace fuselab::engine {

std::map<std::string, std::string> environments_here(const std::vector<BackendReport>& backends) {
  const auto machine = platform::machine_facts();
  std::map<std::string, std::string> keys;
  for (const BackendReport& report : backends) {
    for (const DeviceInfo& device : report.devices)
      keys[device.id] = platform::environment_identity(machine, device, std::string(tool_version())).key().hex();
  }
  return keys;
}

}  // namespace fuselab::engine
