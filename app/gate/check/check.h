// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <stop_token>
#include <string>
#include <vector>

#include "app/engine/job/engine.h"
#include "app/gate/baseline/baseline_file.h"
#include "app/gate/baseline/baseline_mode.h"
#include "app/gate/baseline/check_config.h"
#include "app/gate/judge/judgement.h"
#include "core/gate/check_report.h"

// The performance gate: decides whether the kernels of a repository's cases are slower than they were.
namespace fuselab::engine {

struct CheckSpec {
  CheckConfig config;
  std::filesystem::path baseline;                      // the file of `fuselab baseline save`
  BaselineMode baseline_mode = BaselineMode::kPaired;  // how that file is used
  // For kHistorical: where the file keeps no times of this machine, show those of another. Such a case neither passes nor fails.
  bool cross_machine = false;
  std::string against;               // a commit instead: its cases, lines and models, through today's Fuselab; empty: none
  std::filesystem::path selftest;    // a self-test's record, whose rates are shown beside the verdicts; empty: none
  std::vector<std::string> cases;    // by name; empty: all
  std::vector<std::string> devices;  // used instead of each case's own; empty: each case's own
  std::string target;                // generate for this target, as for an older processor: "x86-64-v3"; empty: each device's best
  double drill = 0;                  // slow every candidate by this share of its time, to see whether the gate finds it
  std::map<std::string, double> drills;                  // the same for single cases, by name of the case; instead of `drill`
  bool null_control = false;                             // compare each candidate with itself; no baseline is read
  std::uint64_t seed = 1;                                // of the order of rounds
  std::function<void(const std::string& note)> on_note;  // what is known before a device's first comparison; may be empty
  // Returns the command that runs one case again; with an empty name, the whole run.
  std::function<std::string(const std::string& case_name)> reproduce;
};

// Runs the gate. Blocks. `on_case` is called for each case when its first comparison ended, and again after a confirmation.
// report_of() turns the result into a report. After a stop request every case not compared or not confirmed by then is
// inconclusive, and the run says so.
// Fails with kInvalidArgument for a case that does not exist, with kCorrupt for a baseline that was changed, with kCancelled before
// the first case, and with the error of a database that cannot be read.
Result<CheckRun> run_check(const Config& config, const CheckSpec& spec,
                           const std::function<void(const CaseOutcome& outcome, std::size_t done)>& on_case, std::stop_token stop);

}  // namespace fuselab::engine
