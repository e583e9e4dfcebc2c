// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"

// What a user has chosen for all commands, in two files of the configuration folder: config.toml is the user's own, default.toml is
// written by `fuselab default` and the desktop.
namespace fuselab::engine {

// config.toml: `prefer = ["cuda", "cpu"]` and `fallback = ["opencl", "cpu"]`, names of devices or backends, best first.
struct UserPreferences {
  std::vector<std::string> prefer;    // as --prefer does, where that is not given
  std::vector<std::string> fallback;  // taken where the default backend cannot be used
};
// Returns empty lists where the file does not exist. Fails with kInvalidArgument, naming file and line, for what is no TOML, a key
// that is not known, or a value that is no list of names.
Result<UserPreferences> read_user_preferences(const std::filesystem::path& file);

// default.toml: the default backend, and what was known when it was set.
struct StoredDefault {
  std::string backend;
  std::vector<std::string> fallback;  // of the default alone; empty: those of config.toml
  std::string evidence;               // one line: "chosen for 12 of 30 measured pieces; …"
  std::string tool_version;
  std::int64_t set_unix_ms = 0;
};
// Returns nothing where none is set. Fails with kCorrupt for a file that is damaged.
Result<std::optional<StoredDefault>> read_stored_default(const std::filesystem::path& file);
Status write_stored_default(const std::filesystem::path& file, const StoredDefault& chosen);
// Returns whether there was one.
Result<bool> clear_stored_default(const std::filesystem::path& file);

// The files of a configuration folder.
std::filesystem::path preferences_file(const std::filesystem::path& folder);
std::filesystem::path default_file(const std::filesystem::path& folder);

}  // namespace fuselab::engine
