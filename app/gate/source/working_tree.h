// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <stop_token>
#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/platform/files/temporary_folder.h"

namespace fuselab::engine {

// The files of one commit in a temporary folder, beside the user's own working tree, which nothing of this touches. Gone with the
// object, and git's note of it as well; other working trees of the repository, those whose disks are away included, stay as they
// are. What runs and what does not: git_command(). Used by one thread.
class WorkingTree {
 public:
  // `prefix` begins the folder's name; what killed processes left under it is swept. kIo with git's words, as of a full disk;
  // kUnavailable, kTimeout, kCancelled.
  static Result<WorkingTree> make(std::string_view prefix, const std::filesystem::path& repository, const std::string& commit,
                                  std::stop_token stop);
  WorkingTree(WorkingTree&& other) noexcept = default;
  WorkingTree& operator=(WorkingTree&&) = delete;
  ~WorkingTree();

  // Another commit in its place. Errors as of make().
  Status check_out(const std::string& commit, std::stop_token stop) const;

  std::filesystem::path path() const { return folder_.path() / "tree"; }
  // Beside the files, gone with them: for notes of one's own.
  std::filesystem::path notes() const { return folder_.path() / "notes"; }

 private:
  WorkingTree(std::filesystem::path repository, platform::TemporaryFolder folder)
      : repository_(std::move(repository)), folder_(std::move(folder)) {}

  std::filesystem::path repository_;
  platform::TemporaryFolder folder_;
};

}  // namespace fuselab::engine
