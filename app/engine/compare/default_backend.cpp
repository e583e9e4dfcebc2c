// SPDX-License-Identifier: Apache-2.0
#include "app/engine/compare/default_backend.h"

#include <algorithm>
#include <set>

#include "core/backend/registry.h"

namespace fuselab::engine {
namespace {

std::map<std::string, std::string> backends_by_device(const std::vector<BackendReport>& backends) {
  std::map<std::string, std::string> by_device;
  for (const BackendReport& backend : backends) {
    for (const DeviceInfo& device : backend.devices) {
      if (!device.synthetic) by_device[device.id] = backend.id;
    }
  }
  return by_device;
}

}  // namespace

DefaultBackend default_backend(const std::vector<DefaultChoiceRecord>& newest_first,
                               const std::map<std::string, std::string>& environments, const std::vector<BackendReport>& backends) {
  const auto by_device = backends_by_device(backends);
  DefaultBackend result;
  result.id = kInitialDefaultBackend;
  std::set<std::string> seen;
  std::map<std::string, int> chosen;
  for (const DefaultChoiceRecord& choice : newest_first) {
    const auto backend = by_device.find(choice.device_id);
    const auto environment = environments.find(choice.device_id);
    const bool of_here =
        backend != by_device.end() && environment != environments.end() && environment->second == choice.environment_key;
    if (of_here && seen.insert(choice.piece_key).second) ++chosen[backend->second];
  }
  result.measured = static_cast<int>(seen.size());
  for (const BackendReport& backend : backends) {  // in their order, so that a tie is decided as discovery would
    const auto found = chosen.find(backend.id);
    if (found == chosen.end() || found->second <= result.pieces) continue;
    result.id = backend.id;
    result.pieces = found->second;
  }
  const auto report =
      std::find_if(backends.begin(), backends.end(), [&](const BackendReport& each) { return each.id == result.id; });
  if (report == backends.end()) {
    result.why_not = "not registered";
  } else {
    result.usable = report->availability.usable;
    result.why_not = report->availability.reason;
  }
  return result;
}

}  // namespace fuselab::engine
