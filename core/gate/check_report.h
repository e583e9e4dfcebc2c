// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/stats/comparison.h"
#include "core/stats/error_rate.h"

// What a run of the performance gate came to: the one model that the lines on the terminal, JSON, JUnit, SARIF, annotations,
// Markdown and HTML are written from, so that they cannot disagree.
namespace fuselab {

// How a case of the gate ended. Each has one meaning and one exit code of the table of all verbs.
enum class CaseState {
  kSame,           // the very same kernel: nothing was measured
  kImproved,       // faster by more than the margin, confirmed in processes of its own
  kEquivalent,     // within the margin
  kUnconfirmed,    // a change was called and not confirmed: counts as none
  kRegressed,      // slower by more than the margin, confirmed
  kInconclusive,   // the budget ended before anything could be said, or the run was interrupted
  kNoBaseline,     // nothing to compare with: missing, expired, foreign, without source
  kUnfit,          // the machine was too disturbed, or the device is not there
  kWrongResult,    // missed the reference's tolerance
  kFailed,         // could not be compiled or run
  kMisconfigured,  // the case's own lines are wrong
};
std::string_view name_of(CaseState state);
Result<CaseState> parse_case_state(std::string_view name);

// Where a case comes from: a line of fuselab.toml.
struct SourceLine {
  std::string file;  // as given: absolute, or relative to the folder that the gate ran in
  int line = 0;      // from 1; 0: the file as a whole
};

// What a candidate was held against.
struct BaselineUsed {
  std::string kind;            // "paired"; "golden", a pair too, of a file that ends one day; "historical": it was not run again
  std::string origin;          // "baseline.fuselab of 2026-11-20", "git 1a2b3c4"
  std::string commit;          // of the user's repository when it was saved; empty: unknown
  std::string device_uuid;     // fingerprint of the device it was saved on
  bool recompiled = false;     // its binary cannot run here, so its source was compiled anew, with its flags
  std::string note = {};       // what else it stands on: "22 days old, 68 days left", "3 sessions of 2026-11-20, not run again"
  bool other_machine = false;  // historical: its times are of another machine than the candidate's, which the note names
  std::string kernel = {};     // identity of the kernel that it is; empty: unknown, or not one kernel alone
  // In which launch configuration: "threads=2,vector=16"; of several kernels each one's. Empty: unknown.
  std::string configuration = {};
};

struct CaseOutcome {
  std::string name;         // "softmax" as in fuselab.toml
  std::string subject;      // "w5-softmax rows=128,cols=1024 f32"
  std::string device;       // "cpu:0"
  std::string backend;      // "cpu"
  std::string device_uuid;  // fingerprint of that device: "cpu:0" of two machines are two
  // In which launch configuration the candidate is, and on whose word: "tuned: threads=2,vector=16". No part of what the case is
  // called, since tuning changes it. Empty: it came to none.
  std::string configuration;
  SourceLine where;
  CaseState state = CaseState::kFailed;
  std::string reason;  // one sentence, wherever the state needs one; else empty
  std::optional<BaselineUsed> baseline;
  double margin = 0.01;                          // of the baseline's time
  std::optional<ComparisonResult> comparison;    // where anything was measured
  std::optional<ComparisonResult> confirmation;  // of a change that was called
  double q_value = 1;                            // Benjamini and Hochberg over the suite; 1 where nothing was called
  double baseline_ns = 0, candidate_ns = 0;      // medians of the first comparison; 0: not measured
  // A kernel that is kept the same from run to run, timed in this run as well: beside it a history is free of the machine's drift
  // although baselines were exchanged. Its identity (empty: none) and median.
  std::string reference;
  double reference_ns = 0;
  int disturbed = 0;  // processes that were discarded whole, both sides
  double wall_seconds = 0;
  std::string reproduce;  // the command that does this case again
  // Every pair of rounds in run order, as log-ratio of candidate over baseline; for the pictures of the report.
  std::vector<std::vector<double>> log_ratios;  // by process
};

// How often a slowdown of this size was called a regression and confirmed.
struct FoundSlowdown {
  double slowdown = 0;
  ErrorRate found;
};

// What stands beside the rate of false alarms; where that is not known, why.
struct SelftestNote {
  std::string of;                    // "cpu:0, margin 1 %, budget 2 s, ..."; without a rate: what would measure it
  std::vector<FoundSlowdown> power;  // ascending; empty: no slowdown was tried
};

// A name of CheckReport::environment: kernels of the baseline that no case of this run asked for, as where a case was renamed.
inline constexpr std::string_view kUnusedKernels = "baseline's other kernels";

struct CheckReport {
  std::string tool_version;
  std::string commit;                                            // of the user's repository; empty: none
  std::string started_at;                                        // UTC, "2026-11-22T17:05:00Z"
  std::vector<std::pair<std::string, std::string>> environment;  // "cpu" -> "AMD EPYC", "governor" -> ...; in order of display
  std::vector<CaseOutcome> cases;                                // in the file's order
  // What `fuselab selftest` found on this device with these settings, where it was run: shown beside every verdict.
  std::optional<ErrorRate> false_alarms;
  std::optional<SelftestNote> selftest;
  double kernel_seconds = 0, wall_seconds = 0;
  int exit_code = 0;  // of the one table, --fail-on applied
  std::string reproduce;
};

// Worst first, as the reports list them: regressed, wrong result, failed, misconfigured, no baseline, unfit, inconclusive,
// unconfirmed, improved, equivalent, same; within one, the largest change first. Indices of report.cases.
std::vector<std::size_t> by_severity(const CheckReport& report);

}  // namespace fuselab
