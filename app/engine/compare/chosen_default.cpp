// SPDX-License-Identifier: Apache-2.0
#include "app/engine/compare/chosen_default.h"

#include <algorithm>

#include "app/engine/workers/environment_here.h"
#include "app/views/choice.h"
#include "app/views/recorded_rows.h"
#include "core/backend/discovery.h"
#include "core/base/formatted.h"
#include "core/base/version.h"
#include "core/platform/system/clock.h"

namespace fuselab::engine {
namespace {

Result<std::string> id_of(const std::string& name, const std::vector<BackendReport>& backends) {
  std::string known;
  for (const BackendReport& backend : backends) {
    if (same_name(name, backend.id) || same_name(name, backend.display_name)) return backend.id;
    known += (known.empty() ? "" : ", ") + backend.id;
  }
  return Error{ErrorCode::kNotFound, "there is no backend '" + name + "'; there are " + known};
}

const std::vector<std::string>& fallback_of(const StoredDefault& set, const UserPreferences& preferences) {
  return set.fallback.empty() ? preferences.fallback : set.fallback;
}

// Says for how many of the pieces that were measured here each backend is the choice: "chosen for 12 of 30 measured pieces (next:
// cpu, 10)".
Result<std::string> evidence_for(Engine& engine, const std::string& id) {
  CompareSpec everything;
  everything.every_question = true;
  FL_TRY(const auto tables, engine.compare(everything));
  std::map<std::string, int> pieces;
  int measured = 0;
  for (const CompareTable& table : tables) {
    for (const CompareRow& row : table.rows) {
      if (is_recorded(row)) continue;
      const auto chosen = std::find_if(row.cells.begin(), row.cells.end(),
                                       [&](const CompareCell& cell) { return cell.device_id == row.recommended_device; });
      if (chosen == row.cells.end()) continue;
      ++measured;
      ++pieces[chosen->backend];
    }
  }
  if (measured == 0) return std::string("nothing is measured here");
  std::string text = formatted("chosen for %d of %d measured pieces", pieces[id], measured);
  pieces.erase(id);
  const auto next =
      std::max_element(pieces.begin(), pieces.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  return next == pieces.end() ? text : text + " (next: " + next->first + formatted(", %d)", next->second);
}

}  // namespace

Result<DefaultState> default_state(Engine& engine) {
  DefaultState state;
  const auto& folder = engine.config().key_directory;
  if (!folder.empty()) {
    FL_TRY(state.set, read_stored_default(default_file(folder)));
    FL_TRY(state.preferences, read_user_preferences(preferences_file(folder)));
  }
  FL_TRY(const auto backends, engine.devices(false));
  FL_TRY(const Catalog catalog, engine.queries().catalog());
  state.measured = default_backend(catalog.choices, environments_here(backends), backends);
  if (state.set) {
    const auto chosen = choose_backend(state.set->backend, fallback_of(*state.set, state.preferences), backends);
    state.in_force = chosen.ok() ? chosen.value().id : "";
    state.reason = chosen.ok() ? chosen.value().reason : chosen.error().message;
    return state;
  }
  if (state.measured.pieces > 0) {
    state.in_force = state.measured.id;
    state.reason = formatted("chosen for %d of %d measured pieces", state.measured.pieces, state.measured.measured);
    return state;
  }
  const auto usable = choose_backend(BackendPreference::kAuto, backends);
  state.in_force = usable.ok() ? usable.value().id : "";
  state.reason = usable.ok() ? "nothing was set or measured here: the " + usable.value().reason : usable.error().message;
  return state;
}

Result<StoredDefault> set_default(Engine& engine, const std::string& name, const std::vector<std::string>& fallback) {
  if (engine.config().key_directory.empty()) return Error{ErrorCode::kUnavailable, "there is no configuration folder"};
  FL_TRY(const auto backends, engine.devices(false));
  StoredDefault chosen;
  FL_TRY(chosen.backend, id_of(name, backends));
  for (const std::string& each : fallback) {
    FL_TRY(std::string id, id_of(each, backends));
    chosen.fallback.push_back(std::move(id));
  }
  const auto& folder = engine.config().key_directory;
  FL_TRY(const UserPreferences preferences, read_user_preferences(preferences_file(folder)));
  FL_TRY_VOID(choose_backend(chosen.backend, fallback_of(chosen, preferences), backends));
  FL_TRY(chosen.evidence, evidence_for(engine, chosen.backend));
  chosen.tool_version = tool_version();
  chosen.set_unix_ms = platform::unix_milliseconds();
  FL_TRY_VOID(write_stored_default(default_file(folder), chosen));
  return chosen;
}

Result<bool> clear_default(Engine& engine) {
  return clear_stored_default(default_file(engine.config().key_directory));
}

}  // namespace fuselab::engine
