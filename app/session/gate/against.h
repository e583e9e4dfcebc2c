// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>
#include <stop_token>
#include <string>

#include "app/session/gate/check_config.h"
#include "app/session/gate/working_tree.h"

namespace fuselab::session {

// The cases of a repository with their models as they were at one commit: a worktree of it in a temporary folder, gone with the
// object. The list of cases is today's, and so is Fuselab. Used by one thread.
class Against {
 public:
  // kNotFound for what names no commit, with git's words; kUnavailable without git or a repository around the file of cases.
  static Result<std::unique_ptr<Against>> open(const CheckConfig& today, const std::string& ref, std::stop_token stop);

  const std::string& commit() const { return commit_; }                  // 40 digits
  std::string origin() const { return "git " + commit_.substr(0, 12); }  // for people
  // The case of today's list with this name; its model's file may not be there.
  const CheckCase& as_it_was(const CheckCase& today) const;

 private:
  Against(WorkingTree tree, std::string commit) : tree_(std::move(tree)), commit_(std::move(commit)) {}

  WorkingTree tree_;
  std::string commit_;
  CheckConfig cases_;
};

}  // namespace fuselab::session
