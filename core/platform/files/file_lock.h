// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <stop_token>
#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/platform/system/unique_fd.h"

namespace fuselab::platform {

// kUser: lock file and folder for this user only. kMachine: for all users, in a folder such as /tmp/….
enum class LockScope { kUser, kMachine };

// kShared: held beside other shared ones, never beside an exclusive one.
enum class LockMode { kExclusive, kShared };

// A lock between all processes of this machine, held while this object lives; the kernel releases it when its process dies, in
// whatever way. The lock file names the process that holds it (or last held it) exclusively and is not removed: removing it would
// race.
class FileLock {
 public:
  // Takes the lock without waiting. `what` is the locked thing's name for people. A missing folder is made.
  // Fails with kBusy, naming the holder: "cpu:0 is in use by fuselab (pid 4711) since 2026-03-01 14:03:22". For a machine's lock
  // "since" is when the holder first took it with no other holder in between.
  static Result<FileLock> try_acquire(const std::filesystem::path& path, std::string_view what, LockScope scope = LockScope::kUser,
                                      LockMode mode = LockMode::kExclusive);
  // Takes the lock, sleeping until it is free, so that a timing under way is not disturbed; `on_wait` is first called with the
  // holder.
  // Fails with kCancelled as soon as a stop is requested.
  static Result<FileLock> acquire(const std::filesystem::path& path, std::string_view what, std::stop_token stop,
                                  const std::function<void(const std::string&)>& on_wait, LockScope scope = LockScope::kUser,
                                  LockMode mode = LockMode::kExclusive);

 private:
  explicit FileLock(UniqueFd fd) : fd_(std::move(fd)) {}
  UniqueFd fd_;
};

}  // namespace fuselab::platform
