// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/base/units.h"

// The results of maintaining a database.
namespace fuselab::db {

using RowCounts = std::vector<std::pair<std::string, std::int64_t>>;  // (table, rows)

struct DatabaseInfo {
  std::filesystem::path path;
  int schema = 0;         // schema of the file
  int newest_schema = 0;  // newest schema that this program knows
  Bytes file;
  Bytes log;       // the write-ahead log beside it
  Bytes binaries;  // stored, compressed
  Bytes sources;
  RowCounts rows;
  std::string writer;  // holder of the lease; empty when there is none
};

// The number of trials that a run has on one device.
struct RunTrials {
  std::string run_id, device_id;
  std::int64_t trials = 0;
};

// The binaries that gc() keeps whatever the budget: those of the default choices and of the fastest trial of each (piece, device,
// kind, environment, metric), and those named here.
struct GcRules {
  int runners_up = 2;          // the next fastest of the same group
  bool keep_baselines = true;  // winners of unfused plans
};

struct GcReport {
  std::int64_t dropped = 0;  // binaries; trials and sources are never dropped
  std::int64_t kept = 0;
  Bytes before, after;  // size of the file
  bool within_budget = true;
};

struct VerifyReport {
  RowCounts checked;
  std::vector<std::string> problems;  // one sentence each; empty when sound
  // The number of binaries by signer, where the signature fits but the signer is not trusted. This is no damage.
  std::map<std::string, std::int64_t> strangers;
  // The number of sources that nobody who is trusted vouches for, by signer; "" where nobody signed. This is no damage either.
  std::map<std::string, std::int64_t> unvouched;
  bool sound() const { return problems.empty(); }
};

struct MergeReport {
  RowCounts added;
  std::map<std::string, std::int64_t> unvouched;  // as in VerifyReport, of the other database
};

}  // namespace fuselab::db
