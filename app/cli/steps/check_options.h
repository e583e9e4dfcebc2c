// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "app/cli/steps/report_options.h"
#include "app/gate/check/check.h"

namespace fuselab::cli {

// What `fuselab check` was told. Files and modes are empty where the command line did not name any.
struct CheckOptions {
  engine::CheckSpec spec;
  std::string config = "fuselab.toml";
  std::string baseline, baseline_mode;
  std::vector<std::string> fail_on;
  std::string record, replay, selftest;
  double drill_percent = 0;
  ReportOptions reports;
  // Of every verb's options, where they are not the usual ones.
  std::string database;
  bool synthetic = false;
};

// The command that compares one case again, or, without a name, does the whole run again and ends as it did. Files and reports that
// it wrote are not part of it.
std::string command_again(const CheckOptions& options, const std::string& case_name);

}  // namespace fuselab::cli
