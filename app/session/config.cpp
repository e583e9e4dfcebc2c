// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>

#include "app/session/session.h"

namespace fuselab::session {
namespace {

// XDG base directory, or its default under the home directory (freedesktop.org base directory specification).
std::filesystem::path base_directory(const char* variable, const char* under_home) {
  if (const char* value = std::getenv(variable); value != nullptr && value[0] == '/') return value;
  const char* home = std::getenv("HOME");
  return std::filesystem::path(home != nullptr && home[0] == '/' ? home : "/tmp") / under_home;
}

}  // namespace

Config config_from_environment(const std::filesystem::path& program) {
  Config config;
  auto const data = base_directory("XDG_DATA_HOME", ".local/share") / "fuselab";
  config.database = data / "fuselab.db";
  config.model_directory = data / "models";
  config.cache_directory = base_directory("XDG_CACHE_HOME", ".cache") / "fuselab";
  config.key_directory = base_directory("XDG_CONFIG_HOME", ".config") / "fuselab";
  std::error_code ignored;
  auto const resolved = std::filesystem::canonical(program, ignored);
  config.worker_program = (resolved.empty() ? program : resolved).parent_path() / "fuselab-worker";
  return config;
}

}  // namespace fuselab::session
