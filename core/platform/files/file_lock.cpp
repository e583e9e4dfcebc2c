// SPDX-License-Identifier: Apache-2.0
#include "core/platform/files/file_lock.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <thread>

#include "core/platform/system/clock.h"
#include "core/platform/system/os_error.h"

namespace fuselab::platform {
namespace {

// "fuselab (pid 4711) since 2026-03-01 14:03:22" is what the lock file says of its holder; this, without the time.
std::string own_name() {
  return std::string(program_invocation_short_name) + " (pid " + std::to_string(::getpid()) + ") since ";
}

std::string read_holder(int fd) {
  char text[256];
  const ssize_t got = ::pread(fd, text, sizeof text, 0);
  const std::string padded(text, got > 0 ? static_cast<std::size_t>(got) : 0);
  const std::size_t last = padded.find_last_not_of(' ');
  // Empty for the moment between locking and writing.
  return last == std::string::npos ? "another process" : padded.substr(0, last + 1);
}

Status make_folder(const std::filesystem::path& folder, LockScope scope) {
  std::error_code failure;
  if (folder.empty() || std::filesystem::exists(folder, failure)) return {};
  std::filesystem::create_directories(folder, failure);
  if (failure) return creation_error("create '" + folder.string() + "'", failure.value());
  // Sticky, like /tmp: everybody may add locks, nobody may remove another's.
  const mode_t mode = scope == LockScope::kMachine ? 01777 : 0700;
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

// The signature is written over that of the last holder. It is padded, because cutting a file short costs more than a lock may,
// which is taken for every block.
constexpr std::size_t kSignature = 128;

// The lock files that this process has signed.
class Signed {
 public:
  // Returns whether the path was not there before.
  bool add(const std::filesystem::path& path) {
    const std::lock_guard lock(mutex_);
    return paths_.insert(path).second;
  }

 private:
  std::mutex mutex_;
  std::set<std::filesystem::path> paths_;
};

// The text is a courtesy: a full disk must not keep anybody from holding the lock. A machine's lock is taken for every block: who
// takes it again with nobody in between has held it "since" the first time, for writing waits for whatever else the disk is at.
void sign(int fd, const std::filesystem::path& path, LockScope scope) {
  static Signed signed_here;
  std::string text = own_name();
  const bool first = signed_here.add(path);
  if (scope == LockScope::kMachine && !first && read_holder(fd).starts_with(text)) return;
  text += local_time_text(unix_milliseconds());
  text.resize(kSignature, ' ');
  [[maybe_unused]] const bool told = ::pwrite(fd, text.data(), text.size(), 0) == static_cast<ssize_t>(text.size());
}

int operation_of(LockMode mode) {
  return mode == LockMode::kShared ? LOCK_SH : LOCK_EX;
}

// 0 or an errno.
int lock_file(int fd, int operation) {
  while (::flock(fd, operation) != 0) {
    if (errno != EINTR) return errno;
  }
  return 0;
}

// Shared with the thread that sleeps until a lock is free: whoever waits for it may go before.
struct Waiting {
  explicit Waiting(UniqueFd file) : fd(std::move(file)) {}
  std::mutex mutex;
  std::condition_variable_any changed;
  UniqueFd fd;
  std::optional<int> ended;  // 0 or an errno
};

// flock cannot be called off, so a thread of its own sleeps in it. One that nobody waits for any more lets go of the lock at once.
Result<UniqueFd> wait_for(UniqueFd fd, LockMode mode, const std::string& why, std::stop_token stop) {
  const auto waiting = std::make_shared<Waiting>(std::move(fd));
  std::thread([waiting, operation = operation_of(mode)] {
    const int ended = lock_file(waiting->fd.get(), operation);
    const std::lock_guard lock(waiting->mutex);
    waiting->ended = ended;
    waiting->changed.notify_all();
  }).detach();
  std::unique_lock lock(waiting->mutex);
  waiting->changed.wait(lock, std::move(stop), [&] { return waiting->ended.has_value(); });
  if (!waiting->ended) return Error{ErrorCode::kCancelled, "cancelled while waiting: " + why};
  if (*waiting->ended != 0) return os_error("wait for a lock", *waiting->ended);
  return std::move(waiting->fd);
}

}  // namespace

Result<FileLock> FileLock::try_acquire(const std::filesystem::path& path, std::string_view what, LockScope scope, LockMode mode) {
  FL_TRY(UniqueFd fd, open_lock_file(path, scope));
  const int failed = lock_file(fd.get(), operation_of(mode) | LOCK_NB);
  if (failed == EWOULDBLOCK) return Error{ErrorCode::kBusy, std::string(what) + " is in use by " + read_holder(fd.get())};
  if (failed != 0) return os_error("lock '" + path.string() + "'", failed);
  if (mode == LockMode::kExclusive) sign(fd.get(), path, scope);
  return FileLock(std::move(fd));
}

Result<FileLock> FileLock::acquire(const std::filesystem::path& path, std::string_view what, std::stop_token stop,
                                   const std::function<void(const std::string&)>& on_wait, LockScope scope, LockMode mode) {
  Result<FileLock> lock = try_acquire(path, what, scope, mode);
  if (lock.ok() || lock.error().code != ErrorCode::kBusy) return lock;
  const std::string why = lock.error().message;
  if (on_wait) on_wait(why);
  FL_TRY(UniqueFd file, open_lock_file(path, scope));
  FL_TRY(UniqueFd fd, wait_for(std::move(file), mode, why, std::move(stop)));
  if (mode == LockMode::kExclusive) sign(fd.get(), path, scope);
  return FileLock(std::move(fd));
}

}  // namespace fuselab::platform
