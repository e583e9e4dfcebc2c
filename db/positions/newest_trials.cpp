// SPDX-License-Identifier: Apache-2.0
#include "db/positions/newest_trials.h"

#include <algorithm>
#include <functional>
#include <optional>

#include "db/connection/row_io.h"

namespace fuselab::db {
namespace {

// Returns the row number of a key in a small table; 0, which no row has, where it is not there.
std::int64_t number_of(Connection& connection, const char* sql, const std::string& key) {
  SQLite::Statement& query = connection.statement(sql);
  RowBinder(query).text(key);
  return query.executeStep() ? query.getColumn(0).getInt64() : 0;
}

}  // namespace

bool NewestTrials::can_answer(const TrialFilter& filter, std::size_t limit) {
  const bool has_key =
      !filter.piece_key.empty() && !filter.device_id.empty() && !filter.metric_key.empty() && !filter.environment_key.empty();
  const bool has_more = !filter.backend.empty() || !filter.plan_key.empty() || !filter.outcome.empty() ||
                        !filter.piece_keys.empty() || !filter.include_synthetic || filter.only_timed;
  return has_key && !has_more && limit <= kKept;
}

void NewestTrials::extend(Connection& connection) {
  const std::int64_t newest = connection.integer("SELECT max(sequence) FROM trial");
  if (newest == seen_) return;
  SQLite::Statement query(
      connection.raw(),
      "SELECT sequence, piece, device, metric, environment, kind = 'fused', run FROM trial INDEXED BY trial_filter"
      " WHERE sequence > ? ORDER BY sequence");
  RowBinder(query).integer(seen_);
  auto at = newest_.end();
  while (query.executeStep()) {
    Key key;
    for (int column = 0; column < static_cast<int>(key.size()); ++column)
      key[static_cast<std::size_t>(column)] = query.getColumn(column + 1).getInt64();
    if (at == newest_.end() || at->first != key) at = newest_.try_emplace(key).first;
    std::vector<std::int64_t>& kept = at->second;
    if (kept.size() == kKept) kept.erase(kept.begin());
    kept.push_back(query.getColumn(0).getInt64());
    seen_ = kept.back();  // a pass that fails midway goes on from there
  }
  seen_ = newest;
}

std::vector<std::int64_t> NewestTrials::of(Connection& connection, const TrialFilter& filter, std::size_t limit) {
  extend(connection);
  Key key{number_of(connection, "SELECT no FROM piece WHERE key = ?", filter.piece_key),
          number_of(connection, "SELECT no FROM word WHERE text = ?", filter.device_id),
          number_of(connection, "SELECT no FROM metric WHERE key = ?", filter.metric_key),
          number_of(connection, "SELECT no FROM environment WHERE key = ?", filter.environment_key),
          0,
          0};
  const auto run = filter.run_id.empty() ? std::optional<std::int64_t>()
                                         : number_of(connection, "SELECT no FROM run WHERE id = ?", filter.run_id);
  std::vector<std::int64_t> found;
  for (const PlanKind kind : {PlanKind::kFused, PlanKind::kUnfused}) {
    if (filter.kind && *filter.kind != kind) continue;
    key[4] = kind == PlanKind::kFused ? 1 : 0;
    // Runs are last in the key, so that those of one piece are neighbours.
    for (auto at = newest_.lower_bound(key); at != newest_.end() && std::equal(key.begin(), key.begin() + 5, at->first.begin());
         ++at) {
      if (!run || at->first.back() == *run) found.insert(found.end(), at->second.begin(), at->second.end());
    }
  }
  std::sort(found.begin(), found.end(), std::greater<>());
  found.resize(std::min(found.size(), limit));
  return found;
}

}  // namespace fuselab::db
