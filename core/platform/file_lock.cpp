// SPDX-License-Identifier: Apache-2.0
#include "core/platform/file_lock.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <thread>

#include "core/platform/clock.h"
#include "core/platform/os_error.h"

namespace fuselab::platform {
namespace {

// "fuselab (pid 4711) since 2026-03-01 14:03:22": what the lock file says of its holder.
std::string own_text() {
  return std::string(program_invocation_short_name) + " (pid " + std::to_string(::getpid()) + ") since " +
         local_time_text(unix_milliseconds());
}

std::string read_holder(int fd) {
  char text[256];
  ssize_t const got = ::pread(fd, text, sizeof text, 0);
  // Empty for the moment between locking and writing.
  return got > 0 ? std::string(text, static_cast<std::size_t>(got)) : "another process";
}

Status make_folder(const std::filesystem::path& folder, LockScope scope) {
  std::error_code failure;
  if (folder.empty() || std::filesystem::exists(folder, failure)) return {};
  std::filesystem::create_directories(folder, failure);
  if (failure) return creation_error("create '" + folder.string() + "'", failure.value());
  // Sticky, like /tmp: everybody may add locks, nobody may remove another's.
  mode_t const mode = scope == LockScope::kMachine ? 01777 : 0700;
  if (::chmod(folder.c_str(), mode) != 0) return last_os_error("set the permissions of '" + folder.string() + "'");
  return {};
}

Result<UniqueFd> open_lock_file(const std::filesystem::path& path, LockScope scope) {
  FL_TRY_VOID(make_folder(path.parent_path(), scope));
  // First without O_CREAT: in sticky folders the kernel refuses it for another user's file (fs.protected_regular).
  UniqueFd fd(::open(path.c_str(), O_RDWR | O_NOFOLLOW | O_CLOEXEC));
  if (!fd.valid() && errno == ENOENT) {
    fd.reset(::open(path.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600));
    if (fd.valid() && scope == LockScope::kMachine) ::fchmod(fd.get(), 0666);  // the umask must not keep others out
  }
  if (!fd.valid()) return creation_error("open lock file '" + path.string() + "'", errno);
  return fd;
}

}  // namespace

Result<FileLock> FileLock::try_acquire(const std::filesystem::path& path, std::string_view what, LockScope scope) {
  FL_TRY(UniqueFd fd, open_lock_file(path, scope));
  int locked = 0;
  do {
    locked = ::flock(fd.get(), LOCK_EX | LOCK_NB);
  } while (locked != 0 && errno == EINTR);
  if (locked != 0 && errno == EWOULDBLOCK) {
    return Error{ErrorCode::kBusy, std::string(what) + " is in use by " + read_holder(fd.get())};
  }
  if (locked != 0) return last_os_error("lock '" + path.string() + "'");
  std::string const text = own_text();
  // The text is a courtesy: a full disk must not keep anybody from holding the lock.
  [[maybe_unused]] bool const told =
      ::ftruncate(fd.get(), 0) == 0 && ::pwrite(fd.get(), text.data(), text.size(), 0) == static_cast<ssize_t>(text.size());
  return FileLock(std::move(fd));
}

Result<FileLock> FileLock::acquire(const std::filesystem::path& path, std::string_view what, std::stop_token stop,
                                   const std::function<void(const std::string&)>& on_wait, LockScope scope) {
  std::string told;
  for (;;) {
    Result<FileLock> lock = try_acquire(path, what, scope);
    if (lock.ok() || lock.error().code != ErrorCode::kBusy) return lock;
    if (stop.stop_requested()) return Error{ErrorCode::kCancelled, "cancelled while waiting: " + lock.error().message};
    if (on_wait && told != lock.error().message) on_wait(lock.error().message);
    told = lock.error().message;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
}

}  // namespace fuselab::platform
