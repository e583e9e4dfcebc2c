// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/engine/compare/default_backend.h"
#include "app/engine/job/engine.h"
#include "app/engine/subject/user_choice.h"

// The default backend as a use case: what was set, what was measured, and what the two come to here and now (R94-R97, R122-R126).
namespace fuselab::engine {

struct DefaultState {
  std::optional<StoredDefault> set;
  UserPreferences preferences;
  DefaultBackend measured;  // what the figures say, or the initial one while there are none
  std::string in_force;     // id; empty where neither what was set nor a fallback can be used
  std::string reason;       // why that one, or why none
};
// Fails as the readers of the user's files do, and where the database cannot be read.
Result<DefaultState> default_state(Engine& engine);

// Sets the default backend, with the evidence that is stored for it. `name` is an id or a display name, ignoring case, like those
// of `fallback`. Fails with kNotFound for a name that no backend has, listing those that there are, and with kUnavailable where
// neither it nor a fallback can be used here.
Result<StoredDefault> set_default(Engine& engine, const std::string& name, const std::vector<std::string>& fallback);
// Returns whether one was set.
Result<bool> clear_default(Engine& engine);

}  // namespace fuselab::engine
