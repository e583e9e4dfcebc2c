// SPDX-License-Identifier: Apache-2.0
#include "db/connection/row_io.h"
#include "db/upkeep/maintenance.h"

namespace fuselab::db {

std::vector<RunTrials> count_run_trials(Connection& connection, bool include_synthetic) {
  SQLite::Statement& query = connection.statement(
      "SELECT r.id, w.text, c.trials FROM (SELECT run, device, count(*) AS trials FROM trial INDEXED BY trial_filter"
      " WHERE synthetic <= ? GROUP BY run, device) c JOIN run r ON r.no = c.run JOIN word w ON w.no = c.device"
      " ORDER BY r.no, w.text");
  RowBinder(query).integer(include_synthetic ? 1 : 0);
  std::vector<RunTrials> counts;
  while (query.executeStep()) {
    RowReader row(query);
    RunTrials& count = counts.emplace_back();
    count.run_id = row.text();
    count.device_id = row.text();
    count.trials = row.integer();
  }
  return counts;
}

}  // namespace fuselab::db
