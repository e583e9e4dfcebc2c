// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "app/gate/selftest/selftest_record.h"
#include "core/gate/check_report.h"

namespace fuselab::engine {

// The summary of a self-test, without its samples. One is kept for every self-test of this machine, so that a comparison with the
// same settings can be reported with its error rates.
struct SelftestSummary {
  std::string id;  // of the record, or of the one run; a later summary with the same id replaces it
  std::string device, device_uuid;
  double margin = 0, alpha = 0;
  Nanoseconds budget;  // of kernel time
  int suite = 1;       // changes are confirmed as in a suite of so many comparisons
  bool load = false;
  std::vector<std::string> kernels;  // names with their shapes
  std::string version, commit;       // of Fuselab; the commit is "unknown" where it is not known
  std::string at;                    // UTC; empty: unknown
  int wanted = 0, done = 0;          // comparisons
  // After confirmation, as in SelftestRates.
  ErrorRate false_alarms;
  std::vector<FoundSlowdown> power;
};

// Summarises a self-test that just ran, or a record.
SelftestSummary summary_of(const SelftestSpec& spec, const SelftestReport& report);
SelftestSummary summary_of(const StoredSelftest& stored);

// Returns the file of the summaries, beside the database; empty, so that nothing is kept, when there is no database.
std::filesystem::path selftests_of(const Config& config);
// Appends the summary as a line to the file, creating it when missing; without a path nothing is kept. Fails with kIo.
Status keep_summary(const std::filesystem::path& file, const SelftestSummary& summary);
// Returns the kept summaries, oldest first, each id once; empty when there is no file. Malformed lines are skipped: a lost summary
// means less information, not wrong information.
std::vector<SelftestSummary> kept_summaries(const std::filesystem::path& file);

// Reads a list of {"slowdown": 0.01, "events": 15, "trials": 50}. Throws nlohmann::json::exception for anything else.
std::vector<FoundSlowdown> power_of(const nlohmann::json& json);

}  // namespace fuselab::engine
