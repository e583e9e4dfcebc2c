// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "app/engine/job/engine.h"
#include "app/engine/measure/paired_replay.h"

// Measures how often this machine raises a false alarm: compares kernels with themselves, and with themselves slowed by a known
// share.
namespace fuselab::engine {

struct SelftestSpec {
  std::vector<std::string> subjects;  // built-in workloads; empty: ten, memory-bound ones among them
  std::vector<std::string> bindings;  // as for a job; only with subjects
  std::string device = "cpu";
  std::string dtype = "f32";
  int identical = 100;                                 // comparisons of a kernel with itself
  int slowed = 0;                                      // comparisons at each of the slowdowns
  std::vector<double> slowdowns = {0.01, 0.02, 0.05};  // Plan::handicap of the candidate
  ComparisonRule rule;
  int suite = 100;  // a change is confirmed as the gate does in a suite of so many comparisons (confirmation_rule)
  Nanoseconds min_sample{200'000};
  std::uint64_t seed = 1;
  bool load = false;         // run beside a thread of this process that keeps one of the host's processors busy
  double slice_seconds = 0;  // stop after the comparison in progress after so long; 0: run until all are done
  // JSON lines: the settings, then every comparison with all its samples. A file that holds the beginning of the same self-test is
  // continued. Empty: nothing is kept.
  std::filesystem::path record;
};

// One comparison. A verdict of regressed or improved is confirmed or refuted by a second one, in processes of its own.
struct SelftestTrial {
  int index = 0;
  std::string kernel;
  double slowdown = 0;  // 0: identical sides
  Replay first;
  std::optional<Replay> confirmation;
  double wall_seconds = 0;
  int slice = 0;        // index of the run that measured it, among those that filled the record, from 0
  std::string failure;  // why there is no verdict, or no confirmation: an unfit machine, a crash; empty: there is one

  bool judged() const { return !first.processes.empty(); }
  bool alarmed() const { return judged() && is_alarm(first.result.verdict); }
  bool confirmed() const { return alarmed() && confirmation && confirmation->result.verdict == first.result.verdict; }
  static bool is_alarm(Verdict verdict) { return verdict == Verdict::kRegressed || verdict == Verdict::kImproved; }
};

// A kernel of the self-test, or the reason why it cannot be compared at all.
struct SelftestKernel {
  std::string name, binding;
  std::string kernel_id;
  std::string failure;
};

struct SelftestReport {
  DeviceInfo device;
  std::vector<SelftestKernel> kernels;
  std::vector<SelftestTrial> trials;  // those of the record first
  int resumed = 0;                    // number of trials that came from the record
  int wanted = 0;                     // number of trials asked for
  bool is_complete() const { return static_cast<int>(trials.size()) >= wanted; }
};

// Returns the number of comparisons that the spec asks for in all.
int comparisons_in(const SelftestSpec& spec);

// Returns the slowdown of each comparison in order, shuffled by the seed so that no kind is measured at one time of day only.
std::vector<double> schedule_of(const SelftestSpec& spec);

// Returns the registration of a self-test, for before or after it: seed, protocol, the commit of the sources (source_commit()), and
// the kernels. Two lines, safe to print on a terminal whoever wrote the words in them.
std::string registration(const SelftestSpec& spec, std::string_view commit);

// Runs the self-test. Blocks; `on_trial` is called after each new comparison. A comparison that fails, for instance on an unfit
// machine, counts as a trial; the fiftieth failure in a row ends the self-test with its reason. After a stop request the record
// keeps what was measured.
// Fails with kInvalidArgument where the record is of another self-test, device or kernel, or of another program: this one or its
// worker differ in a byte.
Result<SelftestReport> run_selftest(const Config& config, const SelftestSpec& spec,
                                    const std::function<void(const SelftestReport&)>& on_trial, std::stop_token stop);

}  // namespace fuselab::engine
