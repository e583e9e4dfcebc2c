// SPDX-License-Identifier: Apache-2.0
#include "core/platform/files/directories.h"

#include <pwd.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <string>

#include "core/platform/system/os_error.h"

namespace fuselab::platform {
namespace {

namespace fs = std::filesystem;

fs::path from_environment(const char* name, const fs::path& otherwise) {
  const char* const value = std::getenv(name);
  return value != nullptr && value[0] == '/' ? fs::path(value) : otherwise;
}

fs::path home() {
  const passwd* const user = ::getpwuid(::getuid());
  return from_environment("HOME", user != nullptr && user->pw_dir != nullptr ? user->pw_dir : "/");
}

}  // namespace

BaseDirectories base_directories() {
  const fs::path own = home();
  BaseDirectories directories;
  directories.data = from_environment("XDG_DATA_HOME", own / ".local/share");
  directories.config = from_environment("XDG_CONFIG_HOME", own / ".config");
  directories.cache = from_environment("XDG_CACHE_HOME", own / ".cache");
  directories.runtime =
      from_environment("XDG_RUNTIME_DIR", from_environment("TMPDIR", "/tmp") / ("fuselab-" + std::to_string(::getuid())));
  return directories;
}

fs::path device_lock_directory() {
  return "/tmp/fuselab-locks";
}

Status check_writable(const fs::path& folder) {
  std::error_code failed;
  fs::path there = fs::absolute(folder.empty() ? "." : folder, failed);
  if (failed) return os_error("find '" + folder.string() + "'", failed.value());
  while (there.has_relative_path() && !fs::exists(there, failed)) {
    if (failed) return creation_error("look at '" + there.string() + "'", failed.value());
    there = there.parent_path();
  }
  if (!fs::is_directory(there, failed)) return Error{ErrorCode::kIo, "'" + there.string() + "' is no folder"};
  if (::access(there.c_str(), W_OK | X_OK) != 0) return creation_error("write in '" + there.string() + "'", errno);
  return {};
}

}  // namespace fuselab::platform
