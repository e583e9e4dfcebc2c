// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "app/cli/steps/report_options.h"
#include "app/gate/check/check.h"

namespace fuselab::cli {

// The options of `fuselab check`. Files and modes are empty where the command line named none.
struct CheckOptions {
  engine::CheckSpec spec;
  std::string config = "fuselab.toml";
  std::string baseline, baseline_mode;
  std::vector<std::string> fail_on;
  std::string record, replay, selftest;
  std::vector<std::string> drills;  // PERCENT or CASE=PERCENT, as they were given
  ReportOptions reports;
  // Options that every verb takes, where they are not the usual ones.
  std::string database;
  bool synthetic = false;
};

// Takes `drills` into the spec.
// Fails with kInvalidArgument for a text that is neither PERCENT nor CASE=PERCENT, with a percent above 0.
Status take_drills(CheckOptions& options);

// Returns the command that compares one case again or, with an empty name, repeats the whole run with the same end. The files and
// reports that the run wrote are not part of it.
std::string command_again(const CheckOptions& options, const std::string& case_name);

}  // namespace fuselab::cli
