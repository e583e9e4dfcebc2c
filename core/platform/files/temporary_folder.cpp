// SPDX-License-Identifier: Apache-2.0
#include "core/platform/files/temporary_folder.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <charconv>
#include <string>
#include <utility>

#include "core/platform/system/os_error.h"
#include "core/platform/system/process_tree.h"
#include "core/platform/system/uuid.h"

namespace fuselab::platform {
namespace {

namespace fs = std::filesystem;

UniqueFd open_folder(const fs::path& path) {
  return UniqueFd(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
}

// The process that a folder's name speaks of; 0 when it is none of ours.
int owner_in(std::string_view name, std::string_view prefix) {
  if (!name.starts_with(prefix) || !name.substr(prefix.size()).starts_with('-')) return 0;
  name.remove_prefix(prefix.size() + 1);
  int pid = 0;
  const auto [end, failure] = std::from_chars(name.data(), name.data() + name.size(), pid);
  const bool whole = failure == std::errc() && end != name.data() + name.size() && *end == '-';
  return whole ? pid : 0;
}

// The lock covers what the number cannot: a process in another container that shares the temporary directory.
bool is_abandoned(const fs::path& path, int owner) {
  if (process_lives(owner)) return false;
  const UniqueFd folder = open_folder(path);
  struct stat facts {};
  if (!folder.valid() || ::fstat(folder.get(), &facts) != 0 || facts.st_uid != ::geteuid()) return false;
  return ::flock(folder.get(), LOCK_EX | LOCK_NB) == 0;
}

}  // namespace

Result<TemporaryFolder> TemporaryFolder::create(std::string_view prefix) {
  std::error_code failure;
  const fs::path parent = fs::temp_directory_path(failure);
  if (failure) return os_error("find the temporary directory; does $TMPDIR exist?", failure.value());
  fs::path path = parent / (std::string(prefix) + "-" + std::to_string(::getpid()) + "-" + make_uuid());
  if (::mkdir(path.c_str(), 0700) != 0) return last_os_error("make '" + path.string() + "'");
  UniqueFd lock = open_folder(path);
  // A file system without locks leaves the number alone to tell; that is enough on one machine.
  if (lock.valid()) ::flock(lock.get(), LOCK_EX | LOCK_NB);
  return TemporaryFolder(std::move(path), std::move(lock));
}

void TemporaryFolder::sweep(std::string_view prefix) {
  std::error_code failure;
  const fs::path parent = fs::temp_directory_path(failure);
  if (failure) return;
  for (fs::directory_iterator entry(parent, failure), end; !failure && entry != end; entry.increment(failure)) {
    const int owner = owner_in(entry->path().filename().string(), prefix);
    std::error_code ignored;
    if (owner > 0 && is_abandoned(entry->path(), owner)) fs::remove_all(entry->path(), ignored);
  }
}

void TemporaryFolder::sweep_of(int owner) {
  constexpr std::string_view kOurs = "fuselab-";
  constexpr std::size_t kUuid = 36;
  const std::string number = "-" + std::to_string(owner) + "-";
  std::error_code failure;
  const fs::path parent = fs::temp_directory_path(failure);
  if (failure || owner <= 0) return;
  for (fs::directory_iterator entry(parent, failure), end; !failure && entry != end; entry.increment(failure)) {
    const std::string name = entry->path().filename().string();
    if (!name.starts_with(kOurs) || name.size() < kOurs.size() + number.size() + kUuid) continue;
    if (!std::string_view(name).substr(0, name.size() - kUuid).ends_with(number)) continue;
    std::error_code ignored;
    if (is_abandoned(entry->path(), owner)) fs::remove_all(entry->path(), ignored);
  }
}

TemporaryFolder::TemporaryFolder(TemporaryFolder&& other) noexcept
    : path_(std::exchange(other.path_, {})), lock_(std::move(other.lock_)) {}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  if (!path_.empty()) fs::remove_all(path_, ignored);
}

}  // namespace fuselab::platform
