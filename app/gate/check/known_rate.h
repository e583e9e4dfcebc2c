// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "app/engine/job/engine.h"
#include "app/gate/judge/judgement.h"
#include "app/gate/selftest/selftest_summary.h"

namespace fuselab::engine {

// What self-tests say of comparisons of a device with these settings.
class KnownRates {
 public:
  // Of a record that `fuselab selftest --record` wrote, decided anew from its samples; without one, of every self-test that was run
  // here (selftests_of()). kNotFound; kInvalidArgument for another file; kCorrupt with the line.
  static Result<KnownRates> open(const Config& config, const std::filesystem::path& record);

  // Fills in what the report says of false alarms and power. A self-test speaks of comparisons with its own margin, budget and
  // interval, on its own device, in pairs: of the settings that most cases have, where there are several. Where none fits, the
  // report says what would measure it, if anything was compared.
  void tell(CheckRun& run) const;

 private:
  std::string record_;  // as it was named; empty: all that were kept
  std::string unread_;  // why it could not be read, which is no error
  std::vector<SelftestSummary> known_;
};

}  // namespace fuselab::engine
