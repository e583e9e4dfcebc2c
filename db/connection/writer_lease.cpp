// SPDX-License-Identifier: Apache-2.0
#include "db/connection/writer_lease.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include "core/platform/system/unique_fd.h"
#include "db/connection/real_path.h"

namespace fuselab::db {
namespace {

std::filesystem::path lock_path(const std::filesystem::path& database) {
  return real_path(database).string() + ".lock";
}

}  // namespace

Result<platform::FileLock> acquire_writer_lease(const std::filesystem::path& database) {
  auto lock = platform::FileLock::try_acquire(lock_path(database), database.string());
  if (lock.ok()) return lock;
  Error error = lock.error();
  error.message += error.code == ErrorCode::kBusy ? "; wait until it is done, follow it read-only, or choose another file with --db"
                                                  : "; the database's folder must be writable, or choose another file with --db";
  return error;
}

std::string lease_holder(const std::filesystem::path& database) {
  const platform::UniqueFd lock(::open(lock_path(database).c_str(), O_RDONLY | O_CLOEXEC));
  // A shared lock is refused exactly while a writer holds the exclusive one.
  if (!lock.valid() || ::flock(lock.get(), LOCK_SH | LOCK_NB) == 0) return {};
  char text[256];
  const ssize_t got = ::pread(lock.get(), text, sizeof text, 0);
  return got > 0 ? std::string(text, static_cast<std::size_t>(got)) : "another process";
}

}  // namespace fuselab::db
