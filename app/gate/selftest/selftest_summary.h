// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "app/gate/selftest/selftest_record.h"
#include "core/gate/check_report.h"

namespace fuselab::engine {

// What a self-test came to, without its samples: what is kept of every self-test of this machine, so that comparisons with the same
// settings can be told how often such comparisons err.
struct SelftestSummary {
  std::string id;  // of the record, or of the one run; a later summary with it takes its place
  std::string device, device_uuid;
  double margin = 0, alpha = 0;
  Nanoseconds budget;  // of kernel time
  int suite = 1;       // confirmed as in a suite of so many
  bool load = false;
  std::vector<std::string> kernels;  // names with their shapes
  std::string version, commit;       // of Fuselab; the commit "unknown" where nobody knows
  std::string at;                    // UTC; empty: unknown
  int wanted = 0, done = 0;          // comparisons
  // After confirmation, as in SelftestRates.
  ErrorRate false_alarms;
  std::vector<FoundSlowdown> power;
};

// Of one that was just made, and of a record.
SelftestSummary summary_of(const SelftestSpec& spec, const SelftestReport& report);
SelftestSummary summary_of(const StoredSelftest& stored);

// Where they are kept: beside the database. Empty without one: nothing is kept.
std::filesystem::path selftests_of(const Config& config);
// As one more line of the file, which is made where there is none; without a path nothing is kept. kIo.
Status keep_summary(const std::filesystem::path& file, const SelftestSummary& summary);
// Oldest first, each id once. Lines that are none are passed over: whoever loses one knows less, and nothing wrong. Empty without a
// file.
std::vector<SelftestSummary> kept_summaries(const std::filesystem::path& file);

// {"slowdown": 0.01, "events": 15, "trials": 50}, and back: throws nlohmann::json::exception for what is none.
nlohmann::json power_json(const std::vector<FoundSlowdown>& power);
std::vector<FoundSlowdown> power_of(const nlohmann::json& json);

}  // namespace fuselab::engine
