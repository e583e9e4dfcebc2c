// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <list>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/store/result_store.h"
#include "db/connection/connection.h"

namespace fuselab::db {

// The trials that a filter matches, as their keys in order: position i of the list is row i of the table, so any page costs a few
// look-ups by key, wherever it lies. Eight bytes per trial. Because trials are only ever added, a list is built once (one pass over
// a covering index) and then only extended by what was added since.
class TrialPositions {
 public:
  // Returns the list of a filter, brought up to date, valid until the next call. The order is ascending insertion for kOldestFirst
  // and kNewestFirst; fastest first, then untimed by insertion, for kFastestFirst. Throws SQLite::Exception.
  const std::vector<std::int64_t>& sequences(Connection& connection, const TrialFilter& filter, TrialOrder order);

 private:
  struct List {
    std::string key;
    std::int64_t seen = 0;  // the newest trial in the list
    std::vector<std::int64_t> sequences;
    std::vector<double> ranks;  // rank of each, only for kFastestFirst
  };
  List& find(const std::string& key);

  std::list<List> lists_;  // most recently used first, a handful
};

}  // namespace fuselab::db
