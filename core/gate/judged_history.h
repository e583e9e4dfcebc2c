// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "core/base/result.h"
#include "core/changes/change_points.h"
#include "core/gate/history.h"

namespace fuselab {

// A series and the changes found in it.
struct JudgedHistory {
  History history;
  ChangePoints found;
};

// Fails with kInvalidArgument under the conditions of find_change_points().
Result<JudgedHistory> judge_history(History history, const ChangePointRule& rule = {});

// The range of commits that contains a change: after `good`, at the latest in `bad`. Empty where a run does not know its commit.
struct CommitRange {
  std::string good, bad;
};
CommitRange commits_around(const ChangePoint& change, const History& history);

}  // namespace fuselab
