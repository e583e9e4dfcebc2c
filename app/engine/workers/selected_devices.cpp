// SPDX-License-Identifier: Apache-2.0
#include "app/engine/workers/selected_devices.h"

#include <algorithm>

namespace fuselab::engine {
namespace {

Error unknown_device(const std::string& name, const std::string& usable) {
  return {ErrorCode::kNotFound, "there is no device or backend '" + name + "'; usable devices: " + usable};
}

bool drives_cpu(const BackendReport& backend) {
  return backend.id == "cpu" && !backend.devices.empty();
}

}  // namespace

Result<std::vector<DeviceInfo>> select_devices(const std::vector<BackendReport>& backends, const std::vector<std::string>& wanted,
                                               bool synthetic, const std::set<std::string>& measured) {
  std::vector<DeviceInfo> chosen;
  std::string known;
  std::set<std::string> found;
  const bool cpu = std::any_of(backends.begin(), backends.end(), drives_cpu);
  const auto unasked = [&](const DeviceInfo& device, bool again) {
    if (!wanted.empty() || (device.synthetic && !synthetic)) return false;
    return measured.contains(device.id) || (!again && !(cpu && device.is_host_cpu_again()));
  };
  std::set<std::string> driven;
  for (const BackendReport& backend : backends) {
    for (const DeviceInfo& device : backend.devices) {
      const bool again = device.properties.contains("uuid") && !driven.insert(device.silicon()).second;
      known += (known.empty() ? "" : ", ") + device.id;
      const bool named = std::any_of(wanted.begin(), wanted.end(),
                                     [&](const std::string& name) { return name == device.id || name == device.backend; });
      if (named || unasked(device, again)) {
        chosen.push_back(device);
        found.insert(device.id);
        found.insert(device.backend);
      }
    }
  }
  for (const std::string& name : wanted) {
    if (found.count(name) != 0) continue;
    const std::string owner = name.substr(0, name.find(':'));
    const auto backend = std::find_if(backends.begin(), backends.end(), [&](const BackendReport& report) {
      return report.id == owner && (!report.availability.usable || owner == name);
    });
    if (backend != backends.end())
      return Error{ErrorCode::kUnavailable, "backend '" + owner + "' is not usable here: " + backend->availability.reason};
    return unknown_device(name, known);
  }
  if (chosen.empty()) return Error{ErrorCode::kUnavailable, "no usable device; `fuselab devices` says why"};
  return chosen;
}

}  // namespace fuselab::engine
