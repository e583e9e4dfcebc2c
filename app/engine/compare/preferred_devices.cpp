// SPDX-License-Identifier: Apache-2.0
#include "app/engine/compare/preferred_devices.h"

#include <algorithm>

#include "app/engine/subject/user_choice.h"
#include "app/engine/workers/selected_devices.h"
#include "core/backend/discovery.h"

namespace fuselab::engine {

Result<DeviceChoice> with_user_preferences(const Config& config, DeviceChoice choice, const std::vector<BackendReport>& backends) {
  if (!choice.prefer.empty() || config.key_directory.empty()) return choice;
  const auto file = preferences_file(config.key_directory);
  FL_TRY(const UserPreferences preferences, read_user_preferences(file));
  const auto known = select_devices(backends, {.prefer = preferences.prefer}, /*synthetic=*/true);
  if (!known.ok() && known.error().code == ErrorCode::kNotFound) return known.error().within(file.string());
  FL_TRY(const auto set, read_stored_default(default_file(config.key_directory)));
  std::vector<std::string>& prefer = choice.prefer;
  if (set) {
    const auto& fallback = set->fallback.empty() ? preferences.fallback : set->fallback;
    const auto resolved = choose_backend(set->backend, fallback, backends);
    if (resolved.ok()) prefer.push_back(resolved.value().id);  // where none is usable, the default is no preference
  }
  for (const std::string& name : preferences.prefer) {
    if (std::find(prefer.begin(), prefer.end(), name) == prefer.end()) prefer.push_back(name);
  }
  return choice;
}

}  // namespace fuselab::engine
