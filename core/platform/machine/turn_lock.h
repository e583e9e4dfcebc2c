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

// A lock between all processes of this machine that any number may share, or one may have alone. Nobody starves: one that waits
// to be alone goes before sharers that come later, and sharers that wait for one that is alone go before the next such. Whoever
// holds it must wait for nobody who wants it. Held while this object lives; a process that dies lets go.
class TurnLock {
 public:
  // Two files: `path` and `path` + ".turn", open to all users of the machine. `what` and errors as FileLock::acquire; `on_wait` is
  // told who is alone.
  static Result<TurnLock> share(const std::filesystem::path& path, std::string_view what, std::stop_token stop,
                                const std::function<void(const std::string&)>& on_wait);
  static Result<TurnLock> take_alone(const std::filesystem::path& path, std::string_view what, std::stop_token stop);

 private:
  explicit TurnLock(FileLock lock) : lock_(std::move(lock)) {}
  FileLock lock_;
};

}  // namespace fuselab::platform
