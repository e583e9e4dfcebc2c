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

// Which trials a filter matches, as their keys in order: position i of the list is row i of the table, so any page costs
// a few look-ups by key, wherever it lies. Eight bytes a trial; because trials are only ever added, a list is built once (one
// pass over a covering index) and then only takes in what was added since.
class TrialPositions {
 public:
  // The list of a filter, brought up to date. Throws SQLite::Exception. Valid until the next call.
  // Ascending insertion for kOldestFirst and kNewestFirst; fastest first, then untimed by insertion, for kFastestFirst.
  const std::vector<std::int64_t>& sequences(Connection& connection, const TrialFilter& filter, TrialOrder order);

 private:
  struct List {
    std::string key;
    std::int64_t seen = 0;  // the newest trial looked at
    std::vector<std::int64_t> sequences;
    std::vector<double> ranks;  // beside them, only for kFastestFirst
  };
  List& find(const std::string& key);

  std::list<List> lists_;  // most recently used first, a handful
};

}  // namespace fuselab::db
