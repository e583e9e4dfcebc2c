// SPDX-License-Identifier: Apache-2.0
#include "core/platform/machine/turn_lock.h"

namespace fuselab::platform {
namespace {

// Everybody passes the turnstile on the way to the lock and stays in it until the lock is got: one that waits there to be alone
// keeps later sharers out, sharers that wait there keep the next out who wants to be alone.
Result<FileLock> pass(const std::filesystem::path& path, std::string_view what, LockMode mode, std::stop_token stop,
                      const std::function<void(const std::string&)>& on_wait) {
  std::filesystem::path turnstile = path;
  turnstile += ".turn";
  // The process in the turnstile only waits; the process it waits for holds the lock.
  FL_TRY([[maybe_unused]] const FileLock turn, FileLock::acquire(turnstile, what, stop, {}, LockScope::kMachine, mode));
  return FileLock::acquire(path, what, std::move(stop), on_wait, LockScope::kMachine, mode);
}

}  // namespace

Result<TurnLock> TurnLock::share(const std::filesystem::path& path, std::string_view what, std::stop_token stop,
                                 const std::function<void(const std::string&)>& on_wait) {
  FL_TRY(FileLock lock, pass(path, what, LockMode::kShared, std::move(stop), on_wait));
  return TurnLock(std::move(lock));
}

Result<TurnLock> TurnLock::take_alone(const std::filesystem::path& path, std::string_view what, std::stop_token stop) {
  FL_TRY(FileLock lock, pass(path, what, LockMode::kExclusive, std::move(stop), {}));
  return TurnLock(std::move(lock));
}

}  // namespace fuselab::platform
