// SPDX-License-Identifier: Apache-2.0
#include "app/engine/compare/stored_devices.h"

#include <algorithm>

#include "app/engine/workers/environment_here.h"

namespace fuselab::engine {
namespace {

bool was_measured_here(const DeviceInfo& device, const Catalog& catalog) {
  BackendReport alone;
  alone.devices.push_back(device);
  const std::string key = environments_here({alone}).at(device.id);
  return std::any_of(catalog.environments.begin(), catalog.environments.end(),
                     [&](const auto& stored) { return stored.first == key; });
}

}  // namespace

std::vector<BackendReport> stored_backends(const Catalog& catalog) {
  std::vector<BackendReport> backends;
  for (const DeviceInfo& device : catalog.devices) {
    if (!was_measured_here(device, catalog)) continue;
    auto report = std::find_if(backends.begin(), backends.end(), [&](const auto& known) { return known.id == device.backend; });
    if (report == backends.end()) {
      report = backends.insert(backends.end(), BackendReport());
      report->id = report->display_name = device.backend;
      report->availability = Availability::unavailable("not asked yet");
    }
    const bool listed =
        std::any_of(report->devices.begin(), report->devices.end(), [&](const DeviceInfo& known) { return known.id == device.id; });
    if (!listed) report->devices.push_back(device);
  }
  return backends;
}

StoredDevices with_stored_devices(std::vector<BackendReport> backends, const Catalog& catalog) {
  StoredDevices with;
  for (BackendReport& report : backends) {
    if (report.availability.usable || !report.devices.empty()) continue;
    for (const DeviceInfo& device : catalog.devices) {
      if (device.backend == report.id && was_measured_here(device, catalog)) report.devices.push_back(device);
    }
    for (const DeviceInfo& device : report.devices) {
      with.unchecked.push_back(device);
      with.why += (with.why.empty() ? "" : "; ") + device.id + " cannot be used now (" + report.availability.reason +
                  "), so whether today's kernels are those that were measured could not be checked";
    }
  }
  with.backends = std::move(backends);
  return with;
}

StoredDevices only_stored_devices(const std::vector<std::string>& backend_ids, const std::string& writer, const Catalog& catalog) {
  std::vector<BackendReport> backends;
  for (const std::string& id : backend_ids) {
    BackendReport& report = backends.emplace_back();
    report.id = report.display_name = id;
    report.availability = Availability::unavailable("not probed while " + writer + " measures");
  }
  StoredDevices with = with_stored_devices(std::move(backends), catalog);
  with.only_stored = true;
  with.why = writer + " measures now, so whether today's kernels are those that were measured was not checked";
  return with;
}

}  // namespace fuselab::engine
