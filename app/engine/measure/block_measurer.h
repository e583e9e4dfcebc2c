// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "app/engine/job/job_context.h"
#include "app/engine/measure/commit_behind.h"
#include "core/backend/device_info.h"
#include "core/graph/graph.h"
#include "core/measure/plan.h"
#include "core/stats/comparison.h"
#include "core/store/trial_record.h"

namespace fuselab::engine {

// A plan ready to be measured, or the failure that kept it from becoming one.
struct Candidate {
  std::string piece_key;
  std::string piece_name;
  PlanKind kind = PlanKind::kFused;
  bool single_operator = false;  // the plan is both fused and unfused
  std::string config;
  std::string generation;  // generation_key() of the backend that was asked for the kernels
  std::vector<std::string> kernel_keys;
  Nanoseconds compile_time;
  Plan plan;
  std::optional<PlanResult> failed;  // compile error, unsupported, …: nothing can run, and the outcome is stored all the same

  std::string plan_key() const;  // over kernel_keys in order; failed_plan_key() of a plan whose kernels could not be made
};

// Returns whether other load on the machine disturbed the trial's figure.
bool is_disturbed(const TrialRecord& trial);

// kFreshProcess confirms a winner: it is verified with every kind of input in a process of its own. kAgain does so even though a
// confirmation is stored. kGivenConfig does the same for a kernel that somebody named, and counts as no confirmation.
enum class Freshness { kReuse, kMeasure, kFreshProcess, kAgain, kGivenConfig };

// Measures candidates in one interleaved block and stores every outcome, losers included. Returns valid stored rows instead where
// that is asked for. Used by one job thread.
class BlockMeasurer {
 public:
  BlockMeasurer(JobContext& context, DeviceInfo device, EnvironmentIdentity environment);

  // Called for each measured plan before it is stored, with the ceilings timed beside it; may take a figure's credit away
  // (Outcome::kMistrusted).
  using Judge = std::function<Status(const Plan& plan, const PairedCeiling& beside, PlanResult& result)>;
  void set_judge(Judge judge) { judge_ = std::move(judge); }

  // Returns one record per candidate, in order. Reused records are not stored again. The records of a search (kMeasure) are
  // committed while the next block is prepared: settle() ends a search. The metric, and so which stored rows may be reused, follows
  // from the protocol (metric_of).
  // `beside`: the ceiling kernels to time between the plans' rounds. Fails when storing fails or the workers break.
  Result<std::vector<TrialRecord>> measure(std::vector<Candidate> candidates, const Protocol& protocol, Freshness freshness,
                                           const CeilingSpec& beside = {});

  // Waits until everything measured is stored.
  Status settle();

  // Returns the launch configurations, as text, for which find_stored() could find a trial of the piece.
  Result<std::set<std::string>> stored_configs(const std::string& piece_key, const Protocol& protocol);

  // Returns the stored trials that make measuring this block unnecessary: one block in which every candidate has a final result, in
  // a fresh process when `retimed`. Empty where there is none.
  Result<std::vector<TrialRecord>> find_stored(std::span<const Candidate> candidates, const Protocol& protocol,
                                               bool retimed = false);

  // Compares both plans in fresh processes, interleaved, until the rule has seen enough, as the gate does. On a synthetic device
  // one process is enough. No trial is stored of it.
  // Fails with kUnavailable where the machine is not fit to compare on, and with the plan's error when a plan fails; `failed` says
  // which.
  Result<ComparisonResult> compare_paired(Plan baseline, Plan candidate, const Protocol& protocol, const ComparisonRule& rule,
                                          ComparedSide& failed);
  double deciding_seconds() const { return deciding_seconds_; }  // time that compare_paired() took so far

  const DeviceInfo& device() const { return device_; }
  const std::string& environment_key() const { return environment_key_; }
  void count_reused(int trials) { reused_ += trials; }
  int measured() const { return measured_; }
  int reused() const { return reused_; }
  int failed() const { return failed_; }

 private:
  Result<std::vector<TrialRecord>> run_block(std::vector<Candidate>& candidates, const Protocol& protocol, Freshness freshness,
                                             const CeilingSpec& beside);
  // The facts that all trials of one block share.
  struct BlockFacts {
    std::string id;
    std::string metric_key;
    Freshness freshness = Freshness::kReuse;
  };
  TrialRecord record_of(const Candidate& candidate, const PlanResult& result, const BlockFacts& block,
                        const std::string& process_id) const;
  void note_short_samples(const MeasuredBlock& measured, CacheMode mode);
  void note_unverified(const MeasuredBlock& measured);
  void publish(TrialFinished trial);  // on the committing thread; the best so far is filled in

  JobContext& context_;
  DeviceInfo device_;
  EnvironmentIdentity environment_;
  std::string environment_key_;
  Judge judge_;
  std::map<std::tuple<std::string, PlanKind, CacheMode>, double> best_ns_;  // see TrialFinished; the committing thread's
  std::atomic<int> measured_ = 0, reused_ = 0, failed_ = 0;
  std::set<CacheMode> told_short_;
  bool told_unverified_ = false;
  double deciding_seconds_ = 0;
  std::set<std::string> unsettled_;  // plan keys of the trials being stored
  CommitBehind behind_;              // last: it publishes
};

}  // namespace fuselab::engine
