// SPDX-License-Identifier: Apache-2.0
#include "app/engine/subject/job_spec.h"
#include "core/platform/files/directories.h"

namespace fuselab::engine {
namespace {

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
  const platform::BaseDirectories own = platform::base_directories();
  config.data_directory = own.data;
  const auto data = config.data_directory / "fuselab";
  config.database = data / "fuselab.db";
  config.model_directory = data / "models";
  config.cache_directory = own.cache / "fuselab";
  config.key_directory = own.config / "fuselab";
  config.worker_program = own_file(program).parent_path() / "fuselab-worker";
  return config;
}

}  // namespace fuselab::engine
