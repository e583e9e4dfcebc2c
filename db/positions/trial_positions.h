// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <list>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/store/result_store.h"
#include "db/connection/connection.h"
#include "db/positions/newest_trials.h"

namespace fuselab::db {

// The trials that a filter matches, as their keys in order: position i of the list is row i of the table, so any page costs a few
// look-ups by key, wherever it lies. Eight bytes per trial. Because trials are only ever added, a list is built once (one pass over
// a covering index) and then only extended by what was added since. Each call brings its list up to date. Throws SQLite::Exception.
class TrialPositions {
 public:
  std::int64_t count(Connection& connection, const TrialFilter& filter);
  // Returns the keys at [offset, offset + limit) of the order.
  std::vector<std::int64_t> page(Connection& connection, const TrialFilter& filter, TrialOrder order, std::size_t offset,
                                 std::size_t limit);
  // Returns what ResultQueries::count_by_outcome() does.
  std::vector<std::pair<std::string, std::int64_t>> count_by_outcome(Connection& connection, TrialFilter filter);

 private:
  struct Group {
    std::string text;  // what its trials are ordered by
    std::vector<std::int64_t> sequences;
  };
  struct List {
    std::string key;
    std::int64_t seen = 0;                // the newest trial in the list
    std::vector<std::int64_t> sequences;  // by time or by speed
    std::vector<double> ranks;            // rank of each, only by speed
    std::map<std::string, Group> groups;  // instead of these, by what a column holds
  };
  // Neighbours in an order, as they lie in a list.
  struct Run {
    const std::vector<std::int64_t>* sequences;
    std::size_t begin, end;
    bool backwards;
  };
  List& find(const std::string& key);
  const List& up_to_date(Connection& connection, const TrialFilter& filter, TrialOrder order);
  static void extend_by_speed(List& list, SQLite::Statement& query);
  static void extend_groups(List& list, SQLite::Statement& query, Connection& connection, const char* text_sql);
  static std::vector<Run> runs_of(const List& list, TrialOrder order);

  struct Count {
    std::int64_t seen = 0;  // the newest trial that was counted
    std::int64_t count = 0;
  };
  std::map<std::string, Count> counts_;  // by filter
  NewestTrials newest_;
  std::list<List> lists_;  // most recently used first, a handful
};

}  // namespace fuselab::db
