// SPDX-License-Identifier: Apache-2.0
#include "app/session/gate/against.h"

#include <algorithm>

#include "app/session/gate/repository.h"

namespace fuselab::session {
namespace {

constexpr std::string_view kAgainstPrefix = "fuselab-against";

}  // namespace

Result<std::unique_ptr<Against>> Against::open(const CheckConfig& today, const std::string& ref, std::stop_token stop) {
  FL_TRY(std::string const commit, commit_named(today.folder, ref, stop));
  FL_TRY(std::string const top, run_git(today.folder, {"rev-parse", "--show-toplevel"}, stop));
  FL_TRY(std::string const inside, run_git(today.folder, {"rev-parse", "--show-prefix"}, stop));
  FL_TRY(WorkingTree tree, WorkingTree::make(kAgainstPrefix, top, commit, std::move(stop)));
  std::unique_ptr<Against> against(new Against(std::move(tree), commit));
  FL_TRY(against->cases_, read_check_config(today.file, against->tree_.path() / inside));
  return against;
}

const CheckCase& Against::as_it_was(const CheckCase& today) const {
  return *std::find_if(cases_.cases.begin(), cases_.cases.end(), [&](const CheckCase& each) { return each.name == today.name; });
}

}  // namespace fuselab::session
