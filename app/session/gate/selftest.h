// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "app/session/gate/paired_replay.h"
#include "app/session/session.h"
#include "core/compare/error_rate.h"

// How often this machine cries wolf: kernels compared with themselves, and with themselves slowed by a known share.
namespace fuselab::session {

struct SelftestSpec {
  std::vector<std::string> subjects;  // built-in workloads; empty: ten, memory-bound ones among them
  std::vector<std::string> bindings;  // as for a job; only with subjects
  std::string device = "cpu";
  std::string dtype = "f32";
  int identical = 100;                                 // comparisons of a kernel with itself
  int slowed = 0;                                      // comparisons at each of the slowdowns
  std::vector<double> slowdowns = {0.01, 0.02, 0.05};  // shares of the kernel's time, spun away after a sample's runs
  ComparisonRule rule;
  Nanoseconds min_sample{200'000};
  std::uint64_t seed = 1;
  // JSON lines: what was asked, then every comparison with all its samples. A file that holds the beginning of the same self-test
  // is gone on with. Empty: nothing is kept.
  std::filesystem::path record;
};

// One comparison. A verdict of regressed or improved is confirmed or not by another, in processes of its own.
struct SelftestTrial {
  int index = 0;
  std::string kernel;
  double slowdown = 0;   // 0: identical sides
  Nanoseconds handicap;  // the slowdown of the kernel's time as it was last seen
  Replay first;
  std::optional<Replay> confirmation;
  double wall_seconds = 0;
  std::string failure;  // why there is no verdict, or none that confirms: an unfit machine, a crash; empty: there is

  bool judged() const { return !first.processes.empty(); }
  bool alarmed() const { return judged() && is_alarm(first.result.verdict); }
  bool confirmed() const { return alarmed() && confirmation && confirmation->result.verdict == first.result.verdict; }
  static bool is_alarm(Verdict verdict) { return verdict == Verdict::kRegressed || verdict == Verdict::kImproved; }
};

// A kernel that takes part, or what keeps it from being compared at all.
struct SelftestKernel {
  std::string name, binding;
  std::string kernel_id;
  std::string failure;
};

struct SelftestReport {
  DeviceInfo device;
  std::vector<SelftestKernel> kernels;
  std::vector<SelftestTrial> trials;  // those of the record first
  int resumed = 0;                    // of these, from the record
};

// What the self-test is about to do, before it does: a title line and the rule.
std::string registration(const SelftestSpec& spec);

// Blocks. `on_trial` hears of each new comparison. A comparison that fails is one of the trials; the fifth in a row ends the
// self-test with its reason. A stop leaves what was recorded; kInvalidArgument where the record is of another self-test, device or
// kernel.
Result<SelftestReport> run_selftest(const Config& config, const SelftestSpec& spec,
                                    const std::function<void(const SelftestReport&)>& on_trial, std::stop_token stop);

// What the comparisons at one slowdown came to.
struct SelftestRates {
  double slowdown = 0;
  ErrorRate alarmed;    // unconfirmed verdicts of regressed or improved; with a slowdown: regressed
  ErrorRate confirmed;  // the same after confirmation
  int equivalent = 0, inconclusive = 0;
  int failed = 0;                 // no verdict; in no rate
  double minimum_detectable = 0;  // median over those that have one; 0: none has
  double kernel_seconds = 0;      // median of kernel time until the verdict
  double wall_seconds = 0;        // the same, of the clock on the wall
};
// One per slowdown, identical sides first; of one kernel, or of all when empty.
std::vector<SelftestRates> rates_of(const std::vector<SelftestTrial>& trials, const std::string& kernel = {});

}  // namespace fuselab::session
