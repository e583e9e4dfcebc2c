// SPDX-License-Identifier: Apache-2.0
#include "app/engine/compare/compared_devices.h"

#include "app/engine/workers/environment_here.h"
#include "app/engine/workers/selected_devices.h"

namespace fuselab::engine {

Result<std::vector<ComparedDevice>> compared_devices(const Catalog& catalog, const std::vector<BackendReport>& backends,
                                                     const DeviceChoice& wanted, bool synthetic) {
  FL_TRY(const auto chosen, select_devices(backends, wanted, synthetic));
  const auto environments = environments_here(backends);
  std::vector<ComparedDevice> compared;
  for (const DeviceInfo& device : chosen) {
    ComparedDevice entry{device,
                         environments.at(device.id),
                         {},
                         preference_rank(wanted.prefer, device.id, device.backend),
                         takes_whole_models(backends, device)};
    for (const auto& [key, table] : catalog.ceilings) {
      if (key == entry.environment_key) entry.ceilings = table;
    }
    compared.push_back(std::move(entry));
  }
  return compared;
}

}  // namespace fuselab::engine
