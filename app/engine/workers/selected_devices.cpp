// SPDX-License-Identifier: Apache-2.0
#include "app/engine/workers/selected_devices.h"

#include <algorithm>
#include <set>
#include <string>

namespace fuselab::engine {
namespace {

bool is_any_of(const std::vector<std::string>& names, const DeviceInfo& device) {
  return preference_rank(names, device.id, device.backend) < names.size();
}

bool drives_cpu(const BackendReport& backend) {
  return backend.id == "cpu" && !backend.devices.empty();
}

// Returns whether the name is that of a device that is usable here.
bool is_here(const std::string& name, const std::vector<BackendReport>& backends) {
  return std::any_of(backends.begin(), backends.end(), [&](const BackendReport& backend) {
    return std::any_of(backend.devices.begin(), backend.devices.end(),
                       [&](const DeviceInfo& device) { return names_device(name, device.id, device.backend); });
  });
}

// Returns the registered backend that a name is of and that cannot be used here; null where there is none.
const BackendReport* unusable_owner(const std::string& name, const std::vector<BackendReport>& backends) {
  const std::string owner = name.substr(0, name.find(':'));
  const auto found = std::find_if(backends.begin(), backends.end(), [&](const BackendReport& backend) {
    return backend.id == owner && (!backend.availability.usable || owner == name);
  });
  return found == backends.end() ? nullptr : &*found;
}

Error unknown_device(const std::string& name, const std::vector<BackendReport>& backends) {
  std::string usable;
  for (const BackendReport& backend : backends) {
    for (const DeviceInfo& device : backend.devices) usable += (usable.empty() ? "" : ", ") + device.id;
  }
  return {ErrorCode::kNotFound, "there is no device or backend '" + name + "'; usable devices: " + usable};
}

// Checks the names: a slip of the pen is an error wherever it stands, an unusable backend only where the job was to run on it.
Status check_names(const std::vector<BackendReport>& backends, const DeviceChoice& choice) {
  for (const auto* const names : {&choice.only, &choice.except, &choice.prefer}) {
    for (const std::string& name : *names) {
      if (is_here(name, backends)) continue;
      const BackendReport* const owner = unusable_owner(name, backends);
      if (owner == nullptr) return unknown_device(name, backends);
      if (names == &choice.only)
        return Error{owner->refusal(), "backend '" + owner->id + "' is not usable here: " + owner->availability.reason};
    }
  }
  return {};
}

}  // namespace

Result<std::vector<DeviceInfo>> select_devices(const std::vector<BackendReport>& backends, const DeviceChoice& choice,
                                               bool synthetic, Drivers drivers) {
  FL_TRY_VOID(check_names(backends, choice));
  const bool once = drivers == Drivers::kFirst && choice.only.empty();
  const bool cpu = std::any_of(backends.begin(), backends.end(), drives_cpu);
  std::vector<DeviceInfo> chosen;
  std::set<std::string> driven;
  bool excepted = false;
  for (const BackendReport& backend : backends) {
    for (const DeviceInfo& device : backend.devices) {
      const bool again = device.properties.contains("uuid") && !driven.insert(device.silicon()).second;
      if (once && (again || (cpu && device.is_host_cpu_again()))) continue;
      const bool named = is_any_of(choice.only, device);
      if (!named && (!choice.only.empty() || (device.synthetic && !synthetic))) continue;
      const bool left_out = is_any_of(choice.except, device);
      excepted = excepted || left_out;
      if (!left_out) chosen.push_back(device);
    }
  }
  if (chosen.empty()) {
    return Error{ErrorCode::kUnavailable,
                 excepted ? "every usable device is left out by --no-device" : "no usable device; `fuselab devices` says why"};
  }
  std::stable_sort(chosen.begin(), chosen.end(), [&](const DeviceInfo& a, const DeviceInfo& b) {
    return preference_rank(choice.prefer, a.id, a.backend) < preference_rank(choice.prefer, b.id, b.backend);
  });
  return chosen;
}

std::vector<std::string> unusable_preferences(const std::vector<BackendReport>& backends, const DeviceChoice& choice) {
  std::vector<std::string> lines;
  for (const std::string& name : choice.prefer) {
    const BackendReport* const owner = is_here(name, backends) ? nullptr : unusable_owner(name, backends);
    if (owner != nullptr) lines.push_back(name + " is preferred and cannot be used here: " + owner->availability.reason);
  }
  return lines;
}

}  // namespace fuselab::engine
