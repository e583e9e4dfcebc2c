// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>

#include "app/engine/subject/job_spec.h"

namespace fuselab::engine {
namespace {

// Returns the XDG base directory, or its default under the home directory (freedesktop.org base directory specification).
std::filesystem::path base_directory(const char* variable, const char* under_home) {
  if (const char* value = std::getenv(variable); value != nullptr && value[0] == '/') return value;
  const char* home = std::getenv("HOME");
  return std::filesystem::path(home != nullptr && home[0] == '/' ? home : "/tmp") / under_home;
}

// Returns this program's own file. The name it was called by is no path when a shell found it in PATH, and a link's folder is not
// its own.
std::filesystem::path own_file(const std::filesystem::path& called) {
  std::error_code failed;
  std::filesystem::path running = std::filesystem::read_symlink("/proc/self/exe", failed);
  if (!failed) return running;
  std::filesystem::path resolved = std::filesystem::canonical(called, failed);
  return failed ? called : resolved;
}

}  // namespace

Config config_from_environment(const std::filesystem::path& program) {
  Config config;
  config.data_directory = base_directory("XDG_DATA_HOME", ".local/share");
  const auto data = config.data_directory / "fuselab";
  config.database = data / "fuselab.db";
  config.model_directory = data / "models";
  config.cache_directory = base_directory("XDG_CACHE_HOME", ".cache") / "fuselab";
  config.key_directory = base_directory("XDG_CONFIG_HOME", ".config") / "fuselab";
  config.worker_program = own_file(program).parent_path() / "fuselab-worker";
  return config;
}

}  // namespace fuselab::engine
