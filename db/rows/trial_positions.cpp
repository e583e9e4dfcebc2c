// SPDX-License-Identifier: Apache-2.0
#include "db/rows/trial_positions.h"

#include <algorithm>
#include <array>
#include <numeric>

#include "db/connection/row_io.h"

namespace fuselab::db {
namespace {

constexpr std::size_t kMostLists = 6;

struct Condition {
  const char* sql;
  const std::string& value;
};

// A filter as SQL over the indexed columns. Texts are bound in the order of the conditions.
class FilterSql {
 public:
  explicit FilterSql(const TrialFilter& filter) {
    const std::array<Condition, 7> conditions = {{
        {"t.piece = (SELECT no FROM piece WHERE key = ?)", filter.piece_key},
        {"t.device = (SELECT no FROM word WHERE text = ?)", filter.device_id},
        {"t.backend = (SELECT no FROM word WHERE text = ?)", filter.backend},
        {"t.metric = (SELECT no FROM metric WHERE key = ?)", filter.metric_key},
        {"t.environment = (SELECT no FROM environment WHERE key = ?)", filter.environment_key},
        {"t.run = (SELECT no FROM run WHERE id = ?)", filter.run_id},
        {"t.outcome = ?", filter.outcome},
    }};
    for (const Condition& condition : conditions) add(condition);
    add_pieces(filter.piece_keys);
    if (filter.kind) add({"t.kind = ?", kind_ = std::string(name_of(*filter.kind))});
    if (!filter.include_synthetic) where_ += " AND t.synthetic = 0";
    if (filter.only_timed) where_ += " AND t.outcome = 'timed'";
    // The covering index holds everything but the plan, which has an index of its own.
    indexed_ = filter.plan_key.empty();
    add({"t.plan_key = ?", filter.plan_key});
  }
  FilterSql(const FilterSql&) = delete;
  FilterSql& operator=(const FilterSql&) = delete;

  std::string select() const {
    return std::string("SELECT t.sequence, t.speed_rank FROM trial t") + (indexed_ ? " INDEXED BY trial_filter" : "") +
           " WHERE t.sequence > ?" + where_ + " ORDER BY t.sequence";
  }
  void bind(RowBinder& row) const {
    for (const std::string& value : values_) row.text(value);
  }
  // Tells one filter from another.
  std::string key() const {
    std::string key = where_;
    for (const std::string& value : values_) key += '\n' + value;
    return key;
  }

 private:
  void add(const Condition& condition) {
    if (condition.value.empty()) return;
    where_ += std::string(" AND ") + condition.sql;
    values_.push_back(condition.value);
  }

  void add_pieces(const std::vector<std::string>& keys) {
    if (keys.empty()) return;
    where_ += " AND t.piece IN (SELECT no FROM piece WHERE key IN (?";
    for (std::size_t index = 1; index < keys.size(); ++index) where_ += ",?";
    where_ += "))";
    values_.insert(values_.end(), keys.begin(), keys.end());
  }

  std::string where_;
  std::string kind_;
  std::vector<std::string> values_;
  bool indexed_ = true;
};

struct Found {
  double rank;
  std::int64_t sequence;
  bool operator<(const Found& other) const { return rank != other.rank ? rank < other.rank : sequence < other.sequence; }
};

}  // namespace

TrialPositions::List& TrialPositions::find(const std::string& key) {
  const auto known = std::find_if(lists_.begin(), lists_.end(), [&](const List& list) { return list.key == key; });
  if (known != lists_.end()) {
    lists_.splice(lists_.begin(), lists_, known);
  } else {
    if (lists_.size() >= kMostLists) lists_.pop_back();
    lists_.emplace_front().key = key;
  }
  return lists_.front();
}

const std::vector<std::int64_t>& TrialPositions::sequences(Connection& connection, const TrialFilter& filter, TrialOrder order) {
  const FilterSql sql(filter);
  const bool by_speed = order == TrialOrder::kFastestFirst;
  List& list = find((by_speed ? "speed" : "time") + sql.key());
  const std::int64_t newest = connection.integer("SELECT max(sequence) FROM trial");
  if (newest == list.seen) return list.sequences;

  std::vector<Found> added;
  SQLite::Statement query(connection.raw(), sql.select());
  RowBinder binder(query);
  binder.integer(list.seen);
  sql.bind(binder);
  while (query.executeStep()) added.push_back({query.getColumn(1).getDouble(), query.getColumn(0).getInt64()});
  list.seen = newest;
  if (!by_speed) {
    for (const Found& found : added) list.sequences.push_back(found.sequence);
    return list.sequences;
  }
  std::sort(added.begin(), added.end());
  std::vector<Found> before(list.sequences.size()), all(list.sequences.size() + added.size());
  for (std::size_t index = 0; index < before.size(); ++index) before[index] = {list.ranks[index], list.sequences[index]};
  std::merge(before.begin(), before.end(), added.begin(), added.end(), all.begin());
  list.sequences.resize(all.size());
  list.ranks.resize(all.size());
  for (std::size_t index = 0; index < all.size(); ++index) {
    list.ranks[index] = all[index].rank;
    list.sequences[index] = all[index].sequence;
  }
  return list.sequences;
}

}  // namespace fuselab::db
