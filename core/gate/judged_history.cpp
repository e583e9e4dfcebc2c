// SPDX-License-Identifier: Apache-2.0
#include "core/gate/judged_history.h"

#include <utility>
#include <vector>

namespace fuselab {

Result<JudgedHistory> judge_history(History history, const ChangePointRule& rule) {
  std::vector<Observation> series;
  for (const HistoryPoint& point : history.points) series.push_back(point.observation);
  FL_TRY(ChangePoints found, find_change_points(series, rule));
  return JudgedHistory{std::move(history), std::move(found)};
}

CommitRange commits_around(const ChangePoint& change, const History& history) {
  return {history.points[change.earliest - 1].commit, history.points[change.latest].commit};
}

}  // namespace fuselab
