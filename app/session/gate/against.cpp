// SPDX-License-Identifier: Apache-2.0
#include "app/session/gate/against.h"

#include <algorithm>

#include "app/session/gate/repository.h"

namespace fuselab::session {
namespace {

constexpr std::string_view kAgainstPrefix = "fuselab-against";
constexpr std::chrono::seconds kCheckoutLimit{300};

}  // namespace

Result<std::unique_ptr<Against>> Against::open(const CheckConfig& today, const std::string& ref, std::stop_token stop) {
  // By its hash from here on: nothing that somebody calls a branch is an option of git.
  auto const commit = run_git(today.folder, {"rev-parse", "--verify", "--quiet", "--end-of-options", ref + "^{commit}"}, stop);
  if (!commit.ok() && commit.error().code != ErrorCode::kNotFound) return commit.error();
  FL_TRY(std::string const top, run_git(today.folder, {"rev-parse", "--show-toplevel"}, stop));
  if (!commit.ok() || !is_commit_name(commit.value()))
    return Error{ErrorCode::kNotFound, "'" + ref + "' names no commit of " + top};
  FL_TRY(std::string const inside, run_git(today.folder, {"rev-parse", "--show-prefix"}, stop));
  platform::TemporaryFolder::sweep(kAgainstPrefix);
  FL_TRY(platform::TemporaryFolder folder, platform::TemporaryFolder::create(kAgainstPrefix));
  std::unique_ptr<Against> against(new Against(std::move(folder), top, commit.value()));
  FL_TRY_VOID(against->check_out(std::move(stop)));
  FL_TRY(against->cases_, read_check_config(today.file, against->tree() / inside));
  return against;
}

Status Against::check_out(std::stop_token stop) {
  auto const made =
      run_git(repository_, {"-c", "core.hooksPath=/dev/null", "worktree", "add", "--detach", "--force", tree().string(), commit_},
              stop, kCheckoutLimit);
  if (!made.ok()) return made.error().within("checking out " + origin());
  return {};
}

Against::~Against() {
  [[maybe_unused]] auto const removed = run_git(repository_, {"worktree", "remove", "--force", tree().string()}, {});
}

const CheckCase& Against::as_it_was(const CheckCase& today) const {
  return *std::find_if(cases_.cases.begin(), cases_.cases.end(), [&](const CheckCase& each) { return each.name == today.name; });
}

}  // namespace fuselab::session
