// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "app/gate/baseline/check_config.h"
#include "app/gate/baseline/gate_kernels.h"
#include "app/gate/source/working_tree.h"
#include "core/base/shown_commit.h"

namespace fuselab::engine {

// The cases of a repository as they were at one commit, with their lines and models: a worktree in a temporary folder, which is
// removed with the object. Their kernels are made by today's Fuselab. Used by one thread.
class Against {
 public:
  // Fails with kNotFound and git's words for a name that is no commit; with kUnavailable without git or when the file of cases is
  // in no repository.
  static Result<std::unique_ptr<Against>> open(const CheckConfig& today, const std::string& ref, std::stop_token stop);

  const std::string& commit() const { return commit_; }                  // 40 digits
  std::string origin() const { return "git " + shown_commit(commit_); }  // for messages
  // Returns the case of that name as the commit's own fuselab.toml has it.
  // Fails with kNotFound where there was no such file, case or model, and with kInvalidArgument where the file cannot be read. The
  // messages are worded to follow origin().
  Result<CheckCase> as_it_was(const CheckCase& today) const;

 private:
  Against(WorkingTree tree, std::string commit) : tree_(std::move(tree)), commit_(std::move(commit)) {}

  WorkingTree tree_;
  std::string commit_;
  CheckConfig cases_;
  std::optional<Error> without_cases_;
};

// Returns the subject of the earlier case that `now[place]` is compared with: the one of the same element type and place among
// those; where the case has a single subject both then and now, simply that one. Returns null where there is none.
const GateSubject* counterpart_of(const std::vector<GateSubject>& now, std::size_t place, const std::vector<GateSubject>& then);

}  // namespace fuselab::engine
