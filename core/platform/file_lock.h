// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <stop_token>
#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/platform/unique_fd.h"

namespace fuselab::platform {

// kUser: lock file and folder for this user only. kMachine: for all users, in a folder such as /tmp/….
enum class LockScope { kUser, kMachine };

// An exclusive lock between all processes of this machine, held while this object lives; the kernel lets go when its process
// dies, however it dies. The lock file says who holds it and stays behind: removing it would race.
class FileLock {
 public:
  // kBusy names the holder: "cpu:0 is in use by fuselab (pid 4711) since 2026-03-01 14:03:22". `what` is the locked thing's name
  // for people. A missing folder is made.
  static Result<FileLock> try_acquire(const std::filesystem::path& path, std::string_view what, LockScope scope = LockScope::kUser);
  // Waits for it; `on_wait` is told who holds it, once per holder. kCancelled within 50 ms of a stop request.
  static Result<FileLock> acquire(const std::filesystem::path& path, std::string_view what, std::stop_token stop,
                                  const std::function<void(const std::string&)>& on_wait, LockScope scope = LockScope::kUser);

 private:
  explicit FileLock(UniqueFd fd) : fd_(std::move(fd)) {}
  UniqueFd fd_;
};

}  // namespace fuselab::platform
