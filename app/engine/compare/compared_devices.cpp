// SPDX-License-Identifier: Apache-2.0
#include "app/engine/compare/compared_devices.h"

#include <set>

#include "app/engine/workers/environment_here.h"
#include "app/engine/workers/selected_devices.h"

namespace fuselab::engine {

Result<std::vector<ComparedDevice>> compared_devices(const Catalog& catalog, const std::vector<BackendReport>& backends,
                                                     const std::vector<std::string>& wanted, bool synthetic) {
  std::set<std::string> measured;  // these are shown whether or not a next job would use them unasked
  for (const DeviceInfo& device : catalog.devices) measured.insert(device.id);
  FL_TRY(const auto chosen, select_devices(backends, wanted, synthetic, measured));
  const auto environments = environments_here(backends);
  std::vector<ComparedDevice> compared;
  for (const DeviceInfo& device : chosen) {
    ComparedDevice entry{device, environments.at(device.id), {}};
    for (const auto& [key, table] : catalog.ceilings) {
      if (key == entry.environment_key) entry.ceilings = table;
    }
    compared.push_back(std::move(entry));
  }
  return compared;
}

}  // namespace fuselab::engine
