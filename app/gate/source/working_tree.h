// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <stop_token>
#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/platform/files/temporary_folder.h"

namespace fuselab::engine {

// The files of one commit in a temporary folder, beside the user's own working tree, which is not touched. The folder and git's
// entry for it are removed with the object; other working trees of the repository, those on disks that are not mounted included,
// stay as they are. For which programs run, see git_command(). Used by one thread.
class WorkingTree {
 public:
  // `prefix` begins the folder's name; folders with it that killed processes left behind are removed. Fails with kIo and git's
  // words, as on a full disk, with kUnavailable, kTimeout or kCancelled.
  static Result<WorkingTree> make(std::string_view prefix, const std::filesystem::path& repository, const std::string& commit,
                                  std::stop_token stop);
  WorkingTree(WorkingTree&& other) noexcept = default;
  WorkingTree& operator=(WorkingTree&&) = delete;
  ~WorkingTree();

  // Checks out another commit in the same folder. Fails like make().
  Status check_out(const std::string& commit, std::stop_token stop) const;

  std::filesystem::path path() const { return folder_.path() / "tree"; }
  // Returns a folder beside the files, removed with them, for the caller's own notes.
  std::filesystem::path notes() const { return folder_.path() / "notes"; }

 private:
  WorkingTree(std::filesystem::path repository, platform::TemporaryFolder folder)
      : repository_(std::move(repository)), folder_(std::move(folder)) {}

  std::filesystem::path repository_;
  platform::TemporaryFolder folder_;
};

}  // namespace fuselab::engine
