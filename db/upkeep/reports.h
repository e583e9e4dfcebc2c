// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/base/units.h"

// What looking after a database came to.
namespace fuselab::db {

using RowCounts = std::vector<std::pair<std::string, std::int64_t>>;  // (table, rows)

struct DatabaseInfo {
  std::filesystem::path path;
  int schema = 0;         // of the file
  int newest_schema = 0;  // that this program knows
  Bytes file;
  Bytes log;       // the write-ahead log beside it
  Bytes binaries;  // stored, compressed
  Bytes sources;
  RowCounts rows;
  std::string writer;  // who holds the lease; empty when nobody does
};

// What gc() never drops, whatever the budget: the default choices and the fastest trial of each (piece, device, kind,
// environment, metric), and what is named here.
struct GcRules {
  int runners_up = 2;          // the next fastest of the same group
  bool keep_baselines = true;  // winners of unfused plans
};

struct GcReport {
  std::int64_t dropped = 0;  // binaries; trials and sources are never dropped
  std::int64_t kept = 0;
  Bytes before, after;  // of the file
  bool within_budget = true;
};

struct VerifyReport {
  RowCounts checked;
  std::vector<std::string> problems;              // one sentence each; empty when sound
  std::map<std::string, std::int64_t> strangers;  // binaries whose signature fits, by a signer who is not trusted: no damage
  bool sound() const { return problems.empty(); }
};

}  // namespace fuselab::db
