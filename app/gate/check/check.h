// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <stop_token>
#include <string>
#include <vector>

#include "app/engine/job/engine.h"
#include "app/gate/baseline/baseline_file.h"
#include "app/gate/baseline/baseline_mode.h"
#include "app/gate/baseline/check_config.h"
#include "app/gate/judge/judgement.h"
#include "core/gate/check_report.h"

// The performance gate: are the kernels of a repository's cases slower than they were?
namespace fuselab::engine {

struct CheckSpec {
  CheckConfig config;
  std::filesystem::path baseline;                      // the file of `fuselab baseline save`
  BaselineMode baseline_mode = BaselineMode::kPaired;  // of that file
  // Historical: where the file keeps no times of this machine, show those of another. Such a case neither passes nor fails.
  bool cross_machine = false;
  std::string against;               // a commit instead: its cases, lines and models, through today's Fuselab; empty: none
  std::filesystem::path selftest;    // a self-test's record, whose rate is shown beside the verdicts; empty: none
  std::vector<std::string> cases;    // by name; empty: all
  std::vector<std::string> devices;  // in place of each case's own; empty: those
  std::string target;                // generate for it, as on a processor that runs no more: "x86-64-v3"; empty: each device's best
  double drill = 0;                  // slow every candidate by this share of its time: does the gate find it?
  std::uint64_t seed = 1;            // of the order of rounds
  // The command that does one case again; of the whole run with an empty name.
  std::function<std::string(const std::string& case_name)> reproduce;
};

// Blocks. `on_case` hears of each case that ended its first comparison, and again after a confirmation. report_of() says
// what it came to. Where a stop is asked for, what was not compared or not confirmed by then is inconclusive, and the run says so.
// kInvalidArgument for a case that is none; kCorrupt for a baseline that was changed; kCancelled before the first case; what keeps
// the database from being read.
Result<CheckRun> run_check(const Config& config, const CheckSpec& spec,
                           const std::function<void(const CaseOutcome& outcome, std::size_t done)>& on_case, std::stop_token stop);

}  // namespace fuselab::engine
