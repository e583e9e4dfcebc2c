// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "app/engine/job/engine.h"
#include "app/gate/judge/judgement.h"
#include "app/gate/selftest/selftest_summary.h"

namespace fuselab::engine {

// The false-alarm rate and power that self-tests found for comparisons of a device with given settings.
class KnownRates {
 public:
  // Reads a record that `fuselab selftest --record` wrote and decides it again from its samples; with an empty `record`, reads the
  // summaries of every self-test that was run here (selftests_of()).
  // Fails with kNotFound, with kInvalidArgument for another kind of file, and with kCorrupt naming the line.
  static Result<KnownRates> open(const Config& config, const std::filesystem::path& record);

  // Fills in the report's false alarms and power. A self-test is valid only for paired comparisons on its own device with its own
  // margin, budget and interval; where the cases have several settings, those that most cases have count. Where no self-test fits
  // and something was compared, the report says which command would measure it.
  void tell(CheckRun& run) const;

 private:
  std::string record_;  // as it was named; empty: the summaries kept on this machine
  std::string unread_;  // why these could not be read, which is no error
  std::vector<SelftestSummary> known_;
};

}  // namespace fuselab::engine
