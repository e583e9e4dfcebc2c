// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "app/gate/baseline/check_config.h"
#include "app/gate/baseline/gate_bench.h"
#include "app/gate/source/working_tree.h"
#include "core/base/shown_commit.h"

namespace fuselab::engine {

// The cases of a repository as they were at one commit, lines and models: a worktree of it in a temporary folder, gone with the
// object. What is made of them is made by today's Fuselab. Used by one thread.
class Against {
 public:
  // kNotFound for what names no commit, with git's words; kUnavailable without git or a repository around the file of cases.
  static Result<std::unique_ptr<Against>> open(const CheckConfig& today, const std::string& ref, std::stop_token stop);

  const std::string& commit() const { return commit_; }                  // 40 digits
  std::string origin() const { return "git " + shown_commit(commit_); }  // for people
  // What the commit's own file of cases says of the case with that name. kNotFound where it had no such file, no such case or no
  // such model, kInvalidArgument where its file cannot be read: in words that go behind origin().
  Result<CheckCase> as_it_was(const CheckCase& today) const;

 private:
  Against(WorkingTree tree, std::string commit) : tree_(std::move(tree)), commit_(std::move(commit)) {}

  WorkingTree tree_;
  std::string commit_;
  CheckConfig cases_;
  std::optional<Error> without_cases_;
};

// Of what a case was made of then, what `now[place]` is held against: the one of the same element type and place among those; of a
// case that is one thing, then and now, just that. Null: there was none.
const GateSubject* counterpart_of(const std::vector<GateSubject>& now, std::size_t place, const std::vector<GateSubject>& then);

}  // namespace fuselab::engine
