// SPDX-License-Identifier: Apache-2.0
#include "db/positions/trial_positions.h"

#include <algorithm>
#include <array>
#include <optional>

#include "db/connection/row_io.h"
#include "db/rows/trial_columns.h"

namespace fuselab::db {
namespace {

constexpr std::size_t kMostLists = 6;
constexpr std::size_t kMostCounts = 64;

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

  std::string select(const char* column) const {
    return std::string("SELECT t.sequence, ") + column + rows() + " ORDER BY t.sequence";
  }
  // Of those after a sequence; where that is none and nothing is filtered, SQLite counts without reading what it counts.
  std::string count(std::int64_t after) const {
    return after == 0 && where_.empty() && indexed_ ? "SELECT count(*) FROM trial" : "SELECT count(*)" + rows();
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
  std::string rows() const {
    return std::string(" FROM trial t") + (indexed_ ? " INDEXED BY trial_filter" : "") + " WHERE t.sequence > ?" + where_;
  }
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

// What an order puts together: a column of the covering index, and the text that a value of it stands for.
struct Grouping {
  const char* column;
  const char* text;
};

std::optional<Grouping> grouping_of(TrialOrder order) {
  switch (order) {
    case TrialOrder::kNewestFirst:
    case TrialOrder::kOldestFirst:
    case TrialOrder::kFastestFirst:
    case TrialOrder::kSlowestFirst: return std::nullopt;
    case TrialOrder::kPieces:
    case TrialOrder::kPiecesBack: return Grouping{"t.piece", "SELECT name FROM piece WHERE no = ?"};
    case TrialOrder::kPatterns:
    case TrialOrder::kPatternsBack: return Grouping{"t.piece", "SELECT pattern FROM piece WHERE no = ?"};
    case TrialOrder::kDevices:
    case TrialOrder::kDevicesBack: return Grouping{"t.device", "SELECT text FROM word WHERE no = ?"};
    case TrialOrder::kKinds:
    case TrialOrder::kKindsBack: return Grouping{"t.kind", "SELECT ?"};
    case TrialOrder::kOutcomes:
    case TrialOrder::kOutcomesBack: return Grouping{"t.outcome", "SELECT ?"};
    case TrialOrder::kMetrics:
    case TrialOrder::kMetricsBack:
      return Grouping{"t.metric", "SELECT mode || ' ' || what || ' ' || detail FROM metric WHERE no = ?"};
  }
  return std::nullopt;
}

bool is_by_speed(TrialOrder order) {
  return order == TrialOrder::kFastestFirst || order == TrialOrder::kSlowestFirst;
}

bool is_backwards(TrialOrder order) {
  switch (order) {
    case TrialOrder::kPiecesBack:
    case TrialOrder::kPatternsBack:
    case TrialOrder::kDevicesBack:
    case TrialOrder::kKindsBack:
    case TrialOrder::kOutcomesBack:
    case TrialOrder::kMetricsBack: return true;
    default: return false;
  }
}

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

void TrialPositions::extend_by_speed(List& list, SQLite::Statement& query) {
  std::vector<Found> added;
  while (query.executeStep()) added.push_back({query.getColumn(1).getDouble(), query.getColumn(0).getInt64()});
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
}

void TrialPositions::extend_groups(List& list, SQLite::Statement& query, Connection& connection, const char* text_sql) {
  auto at = list.groups.end();
  while (query.executeStep()) {
    const std::string value = query.getColumn(1).getString();
    if (at == list.groups.end() || at->first != value) at = list.groups.try_emplace(value).first;
    at->second.sequences.push_back(query.getColumn(0).getInt64());
  }
  for (auto& [value, group] : list.groups) {
    if (!group.text.empty()) continue;
    SQLite::Statement text(connection.raw(), text_sql);
    RowBinder(text).text(value);
    if (text.executeStep()) group.text = text.getColumn(0).getString();
  }
}

const TrialPositions::List& TrialPositions::up_to_date(Connection& connection, const TrialFilter& filter, TrialOrder order) {
  const FilterSql sql(filter);
  const auto grouping = grouping_of(order);
  const bool by_speed = is_by_speed(order);
  List& list = find((grouping ? std::string(grouping->column) + grouping->text : by_speed ? "speed" : "time") + sql.key());
  const std::int64_t newest = connection.integer("SELECT max(sequence) FROM trial");
  if (newest == list.seen) return list;
  SQLite::Statement query(connection.raw(), sql.select(grouping ? grouping->column : by_speed ? "t.speed_rank" : "0"));
  RowBinder binder(query);
  binder.integer(list.seen);
  sql.bind(binder);
  list.seen = newest;
  try {
    if (grouping) {
      extend_groups(list, query, connection, grouping->text);
    } else if (by_speed) {
      extend_by_speed(list, query);
    } else {
      while (query.executeStep()) list.sequences.push_back(query.getColumn(0).getInt64());
    }
  } catch (...) {
    lists_.remove_if([&](const List& each) { return &each == &list; });  // half a list
    throw;
  }
  return list;
}

std::vector<TrialPositions::Run> TrialPositions::runs_of(const List& list, TrialOrder order) {
  const std::size_t size = list.sequences.size();
  if (order == TrialOrder::kSlowestFirst) {
    const auto timed =
        static_cast<std::size_t>(std::lower_bound(list.ranks.begin(), list.ranks.end(), kUntimedRank) - list.ranks.begin());
    return {{&list.sequences, 0, timed, true}, {&list.sequences, timed, size, false}};
  }
  if (!grouping_of(order)) return {{&list.sequences, 0, size, order == TrialOrder::kNewestFirst}};
  std::vector<const Group*> groups;
  for (const auto& [value, group] : list.groups) groups.push_back(&group);
  std::stable_sort(groups.begin(), groups.end(), [](const Group* a, const Group* b) { return a->text < b->text; });
  if (is_backwards(order)) std::reverse(groups.begin(), groups.end());
  std::vector<Run> runs;
  for (const Group* group : groups) runs.push_back({&group->sequences, 0, group->sequences.size(), true});
  return runs;
}

std::int64_t TrialPositions::count(Connection& connection, const TrialFilter& filter) {
  const FilterSql sql(filter);
  if (counts_.size() >= kMostCounts) counts_.clear();
  Count& known = counts_[sql.key()];
  const std::int64_t newest = connection.integer("SELECT max(sequence) FROM trial");
  if (newest == known.seen) return known.count;
  SQLite::Statement query(connection.raw(), sql.count(known.seen));
  RowBinder binder(query);
  if (query.getBindParameterCount() > 0) binder.integer(known.seen);
  sql.bind(binder);
  if (query.executeStep()) known.count += query.getColumn(0).getInt64();
  known.seen = newest;
  return known.count;
}

std::vector<std::int64_t> TrialPositions::page(Connection& connection, const TrialFilter& filter, TrialOrder order,
                                               std::size_t offset, std::size_t limit) {
  if (order == TrialOrder::kNewestFirst && offset == 0 && NewestTrials::can_answer(filter, limit))
    return newest_.of(connection, filter, limit);
  std::vector<std::int64_t> page;
  for (const Run& run : runs_of(up_to_date(connection, filter, order), order)) {
    const std::size_t size = run.end - run.begin;
    for (; offset < size && page.size() < limit; ++offset)
      page.push_back((*run.sequences)[run.backwards ? run.end - 1 - offset : run.begin + offset]);
    if (page.size() == limit) break;
    offset -= size;
  }
  return page;
}

std::vector<std::pair<std::string, std::int64_t>> TrialPositions::count_by_outcome(Connection& connection, TrialFilter filter) {
  filter.outcome.clear();
  std::vector<std::pair<std::string, std::int64_t>> counts;
  for (const auto& [outcome, group] : up_to_date(connection, filter, TrialOrder::kOutcomes).groups)
    counts.emplace_back(outcome, static_cast<std::int64_t>(group.sequences.size()));
  return counts;
}

}  // namespace fuselab::db
