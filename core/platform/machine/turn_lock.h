// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <stop_token>
#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/platform/files/file_lock.h"

namespace fuselab::platform {

// A lock between all processes of this machine, held shared by any number or exclusively by one. Nobody starves: a process that
// waits for exclusive use goes before sharers that come later, and sharers that wait for an exclusive holder go before the next
// such one. A holder must not wait for a process that wants the lock. Held while this object lives; the lock of a process that dies
// is released.
class TurnLock {
 public:
  // Uses two files, `path` and `path` + ".turn", open to all users of the machine. `what` and errors are as for FileLock::acquire;
  // `on_wait` is called with the exclusive holder.
  static Result<TurnLock> share(const std::filesystem::path& path, std::string_view what, std::stop_token stop,
                                const std::function<void(const std::string&)>& on_wait);
  static Result<TurnLock> take_alone(const std::filesystem::path& path, std::string_view what, std::stop_token stop);

 private:
  explicit TurnLock(FileLock lock) : lock_(std::move(lock)) {}
  FileLock lock_;
};

}  // namespace fuselab::platform
