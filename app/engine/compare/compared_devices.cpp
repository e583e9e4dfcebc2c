// SPDX-License-Identifier: Apache-2.0
#include "app/engine/compare/compared_devices.h"

#include <map>
#include <utility>

#include "app/engine/measure/shared_ceilings.h"
#include "app/engine/workers/environment_here.h"
#include "app/engine/workers/selected_devices.h"

namespace fuselab::engine {
namespace {

const CeilingTable& ceilings_in(const Catalog& catalog, const std::string& environment_key) {
  static const CeilingTable kNone;
  for (const auto& [key, table] : catalog.ceilings) {
    if (key == environment_key) return table;
  }
  return kNone;
}

// By device id.
std::map<std::string, CeilingTable> ceilings_of_hardware(const Catalog& catalog, const std::vector<BackendReport>& backends,
                                                         const std::map<std::string, std::string>& environments) {
  std::vector<MeasuredCeilings> measured;
  for (const BackendReport& backend : backends) {
    for (const DeviceInfo& device : backend.devices)
      measured.push_back({&device, &ceilings_in(catalog, environments.at(device.id))});
  }
  std::vector<CeilingTable> tables = shared_ceilings(measured);
  std::map<std::string, CeilingTable> by_device;
  for (std::size_t index = 0; index < measured.size(); ++index) by_device[measured[index].device->id] = std::move(tables[index]);
  return by_device;
}

}  // namespace

Result<std::vector<ComparedDevice>> compared_devices(const Catalog& catalog, const std::vector<BackendReport>& backends,
                                                     const DeviceChoice& wanted, bool synthetic) {
  FL_TRY(const auto chosen, select_devices(backends, wanted, synthetic));
  const auto environments = environments_here(backends);
  auto of_hardware = ceilings_of_hardware(catalog, backends, environments);
  std::vector<ComparedDevice> compared;
  for (const DeviceInfo& device : chosen) {
    const std::string& environment = environments.at(device.id);
    ComparedDevice entry{device,
                         environment,
                         ceilings_in(catalog, environment),
                         preference_rank(wanted.prefer, device.id, device.backend),
                         takes_whole_models(backends, device),
                         std::move(of_hardware[device.id])};
    compared.push_back(std::move(entry));
  }
  return compared;
}

}  // namespace fuselab::engine
