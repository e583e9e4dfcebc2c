// SPDX-License-Identifier: Apache-2.0
#include "app/gate/source/working_tree.h"

#include <chrono>

#include "app/gate/source/repository.h"
#include "core/base/shown_commit.h"

namespace fuselab::engine {
namespace {

// Writing the files of a large repository takes a while.
constexpr std::chrono::seconds kFilesLimit{600};

Error checking_out(const Error& error, const std::string& commit) {
  return error.within("checking out git " + shown_commit(commit));
}

}  // namespace

Result<WorkingTree> WorkingTree::make(std::string_view prefix, const std::filesystem::path& repository, const std::string& commit,
                                      std::stop_token stop) {
  platform::TemporaryFolder::sweep(prefix);
  FL_TRY(platform::TemporaryFolder folder, platform::TemporaryFolder::create(prefix));
  // From here on the tree is removed again, even where git was stopped half-way.
  WorkingTree tree(repository, std::move(folder));
  const auto made =
      run_git(repository, {"worktree", "add", "--quiet", "--detach", "--force", tree.path().string(), commit}, stop, kFilesLimit);
  if (!made.ok()) return checking_out(made.error(), commit);
  return tree;
}

WorkingTree::~WorkingTree() {
  if (repository_.empty()) return;  // this object was moved from
  [[maybe_unused]] const auto gone = run_git(repository_, {"worktree", "remove", "--force", path().string()}, {}, kFilesLimit);
}

Status WorkingTree::check_out(const std::string& commit, std::stop_token stop) const {
  const auto done = run_git(path(), {"checkout", "--quiet", "--force", "--detach", commit}, stop, kFilesLimit);
  if (!done.ok()) return checking_out(done.error(), commit);
  return {};
}

}  // namespace fuselab::engine
