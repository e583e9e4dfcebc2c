// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/stats/comparison.h"
#include "core/stats/error_rate.h"

// The result of a run of the performance gate: the one model that the lines on the terminal, JSON, JUnit, SARIF, annotations,
// Markdown and HTML are written from, so that they cannot disagree.
namespace fuselab {

// The way in which a case of the gate ended. Each has one meaning and one exit code of the table of all verbs.
enum class CaseState {
  kSame,           // the very same kernel: nothing was measured
  kImproved,       // faster by more than the margin, confirmed in processes of its own
  kEquivalent,     // within the margin
  kUnconfirmed,    // a change was called and not confirmed: counts as no change
  kRegressed,      // slower by more than the margin, confirmed
  kInconclusive,   // the budget ended before a verdict, and a slowdown of `detect` would have been seen; or the run was interrupted
  kInsensitive,    // the budget ended before a verdict, and a slowdown of `detect` could have gone unseen
  kNew,            // a graph that the baseline never had, of a case that it never had: there is nothing to compare it with yet
  kRenamed,        // the baseline has this graph under another case's name
  kNoBaseline,     // no usable baseline: missing, of another graph, without source
  kExpired,        // the baseline has expired
  kUntrusted,      // a signer who is not trusted signed the baseline
  kUnfit,          // the machine was too disturbed, or the device is not there
  kWrongResult,    // missed the reference's tolerance
  kFailed,         // could not be compiled or run
  kMisconfigured,  // the case's own lines are wrong
};
std::string_view name_of(CaseState state);
Result<CaseState> parse_case_state(std::string_view name);

// The place where a case is written: a line of fuselab.toml.
struct SourceLine {
  std::string file;  // as the user gave it: absolute, or relative to the folder that the gate ran in
  int line = 0;      // from 1; 0: the file as a whole
};

// The backend of a case that is a command of the user's own. Such a case has no device, and its samples come in blocks of runs
// instead of processes.
inline constexpr std::string_view kCommandBackend = "command";

// The baseline that a candidate was compared with.
struct BaselineUsed {
  std::string kind;    // "paired"; "golden": also paired, from a file that expires; "historical": the baseline was not run again
  std::string origin;  // "baseline.fuselab of 2026-11-20", "git 1a2b3c4"
  std::string commit;  // commit of the user's repository when the baseline was saved; empty: unknown
  std::string device_uuid;     // fingerprint of the device that it was saved on
  bool recompiled = false;     // its binary cannot run here, so its source was compiled again, with its flags
  std::string note = {};       // further facts: "22 days old, 68 days left", "3 sessions of 2026-11-20, not run again"
  bool other_machine = false;  // historical: its times are from another machine than the candidate's, which the note names
  std::string kernel = {};     // identity of its kernel; empty: unknown, or several kernels
  // Its launch configuration: "threads=2,vector=16"; of several kernels each one's. Empty: unknown.
  std::string configuration = {};
};

struct CaseOutcome {
  std::string name;         // "softmax" as in fuselab.toml
  std::string subject;      // "w5-softmax rows=128,cols=1024 f32"
  std::string device;       // "cpu:0"
  std::string backend;      // "cpu"
  std::string device_uuid;  // fingerprint of that device: "cpu:0" of two machines are two devices
  // The candidate's launch configuration and its source: "tuned: threads=2,vector=16". Not part of the case's name, since tuning
  // changes it. Empty: the case ended before one was chosen.
  std::string configuration;
  SourceLine where;
  CaseState state = CaseState::kFailed;
  std::string reason;  // one sentence where the state needs one; else empty
  std::optional<BaselineUsed> baseline;
  double margin = 0.01;  // as a share of the baseline's time
  // The slowdown that an inconclusive comparison must have been able to see, else it is insensitive; a share of the baseline's
  // time. 0: of a record that has none, where every such case is inconclusive.
  double detect = 0;
  double drill = 0;                              // the candidate was slowed by this share of its time
  bool null_control = false;                     // both sides are the candidate
  std::optional<ComparisonResult> comparison;    // set where anything was measured
  std::optional<ComparisonResult> confirmation;  // of a change that was called; none where it was not repeated
  double q_value = 1;                            // Benjamini and Hochberg over the suite; 1 where nothing was called
  double baseline_ns = 0, candidate_ns = 0;      // medians of the first comparison; 0: not measured
  // A kernel that is kept the same from run to run and was timed in this run as well: compared with it, a history is free of the
  // machine's drift even when baselines were exchanged. Its identity (empty: none) and median.
  std::string reference;
  double reference_ns = 0;
  int disturbed = 0;  // processes whose samples of both sides were discarded
  double wall_seconds = 0;
  std::string reproduce;    // the command that repeats this case
  std::string output = {};  // of a command that failed: the last lines that it wrote
  // Every pair of rounds in run order, as log-ratio of candidate over baseline, for the pictures of the report.
  std::vector<std::vector<double>> log_ratios;  // by process, in run order
};

// A slowdown of known size and how often it was called a regression and confirmed.
struct FoundSlowdown {
  double slowdown = 0;
  ErrorRate found;
};

// The note beside the rate of false alarms, or the reason why that rate is not known.
struct SelftestNote {
  std::string of;                    // the settings: "cpu:0, margin 1 %, budget 2 s, ..."; without a rate: what would measure it
  std::vector<FoundSlowdown> power;  // ascending; empty: no slowdown was tried
};

// A name in CheckReport::environment: kernels of the baseline that no case of this run asked for, for instance after a case was
// renamed.
inline constexpr std::string_view kUnusedKernels = "baseline's other kernels";

struct CheckReport {
  std::string tool_version;
  std::string commit;                                            // commit of the user's repository; empty: none
  std::string started_at;                                        // UTC, "2026-11-22T17:05:00Z"
  std::vector<std::pair<std::string, std::string>> environment;  // "cpu" -> "AMD EPYC", "governor" -> ...; in order of display
  std::vector<CaseOutcome> cases;                                // in the file's order
  // The result of `fuselab selftest` on this device with these settings, where it was run: shown beside every verdict.
  std::optional<ErrorRate> false_alarms;
  std::optional<SelftestNote> selftest;
  double kernel_seconds = 0, wall_seconds = 0;
  int exit_code = 0;  // from the table of all verbs, with --fail-on applied
  std::string reproduce;
};

// Returns indices of report.cases, worst first, as the reports list them: regressed, wrong result, failed, misconfigured, no
// baseline, unfit, inconclusive, unconfirmed, improved, equivalent, same; within one state, the largest change first.
std::vector<std::size_t> by_severity(const CheckReport& report);

}  // namespace fuselab
