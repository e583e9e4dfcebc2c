// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <vector>

#include "core/store/result_store.h"
#include "db/connection/connection.h"

namespace fuselab::db {

// The newest trials of every piece on every device, by metric, environment, kind of plan and run. A comparison asks for them
// wherever a figure is missing, and no index has them: one pass over the covering index answers for all, and trials that were added
// since extend it. Throws SQLite::Exception.
class NewestTrials {
 public:
  static constexpr std::size_t kKept = 4;

  // Returns whether of() can answer: the filter names an evidence key and nothing else but a kind and a run.
  static bool can_answer(const TrialFilter& filter, std::size_t limit);
  // Returns the keys of at most `limit` trials, the newest first. Requires can_answer().
  std::vector<std::int64_t> of(Connection& connection, const TrialFilter& filter, std::size_t limit);

 private:
  using Key = std::array<std::int64_t, 6>;  // piece, device, metric, environment, whether fused, run
  void extend(Connection& connection);

  std::map<Key, std::vector<std::int64_t>> newest_;  // each ascending
  std::int64_t seen_ = 0;
};

}  // namespace fuselab::db
