// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string_view>

#include "core/base/result.h"
#include "core/platform/system/unique_fd.h"

namespace fuselab::platform {

// A folder in the temporary directory ($TMPDIR), for this user alone, removed with the object. Its name contains the process it
// belongs to, and it is locked while that process lives, so that folders of killed processes can be recognised and removed. Used by
// one thread at a time.
class TemporaryFolder {
 public:
  // Makes "<prefix>-<pid>-<uuid>".
  // Fails with kIo when it cannot be made.
  static Result<TemporaryFolder> create(std::string_view prefix);
  // Removes the folders of this prefix and this user whose processes are gone. Folders that cannot be removed stay, without an
  // error.
  static void sweep(std::string_view prefix);
  // Removes in the same way what a process of Fuselab left that has ended, whatever its prefix.
  static void sweep_of(int owner);

  TemporaryFolder(TemporaryFolder&& other) noexcept;
  TemporaryFolder& operator=(TemporaryFolder&&) = delete;
  ~TemporaryFolder();

  const std::filesystem::path& path() const { return path_; }

 private:
  TemporaryFolder(std::filesystem::path path, UniqueFd lock) : path_(std::move(path)), lock_(std::move(lock)) {}

  std::filesystem::path path_;
  UniqueFd lock_;
};

}  // namespace fuselab::platform
