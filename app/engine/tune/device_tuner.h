// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "app/engine/kernels/kernel_builder.h"
#include "app/engine/measure/block_measurer.h"
#include "app/engine/measure/calibration.h"
#include "app/engine/subject/piece.h"
#include "app/engine/tune/search_budget.h"
#include "tuner/tuner.h"

namespace fuselab::engine {

// Counts how the searches of a job ended against the configurations they began with.
struct SearchDecisions {
  int improved = 0;  // shown to be faster
  int kept = 0;
  int open = 0;  // the machine was not fit to compare on: the start is kept until another job decides
};
inline constexpr int kSearchesToTellOf = 8;  // this many are reported one by one in a job's messages

// Everything one job does on one device: the measurer of blocks, the builder of kernels, the ceilings, and for every graph
// (a piece or a single operator) the best configuration known so far.
class DeviceTuner {
 public:
  DeviceTuner(JobContext& context, const DeviceInfo& device, const EnvironmentIdentity& environment);
  DeviceTuner(const DeviceTuner&) = delete;
  DeviceTuner& operator=(const DeviceTuner&) = delete;

  // Measures the first figures of a piece: fused and unfused in one block, each in its best known configuration; while one of its
  // kernels was never searched, all in their default ones.
  Status measure(const Piece& piece);
  // Sets a configuration to measure for this piece instead. Fails with kInvalidArgument when it does not fit the space of the
  // piece's kernel.
  Status give_config(const Piece& piece, const LaunchConfig& config);
  // Measures the piece's kernel alone in the configuration that was given. It does not replace a winner, since a kernel measured
  // alone is no evidence where a pair was measured; only the job's own table shows it.
  Status measure_given_config(const Piece& piece);
  // Sets what the job gives each search; called before any of the three functions below. These return how many searches a piece
  // takes, ended ones included; how many of them the budget adds to (0: nothing left to tune); and whether all of them have been
  // searched at all.
  void set_search_budget(SearchBudget budget) { search_budget_ = std::move(budget); }
  Result<int> searches(const Piece& piece);
  Result<int> searches_left(const Piece& piece);
  Result<bool> is_tuned(const Piece& piece);
  // Returns whether the piece is tuned but its winners were never compared, because the job that found them was killed before.
  Result<bool> awaits_winners(const Piece& piece);
  // Searches the piece's kernel and each of its operators' kernels for as long as `allow` says. Once all of them are searched,
  // measures the winners against each other in a fresh process. Searches already stored as ended are not repeated. Searches that
  // are not allowed are noted as by note_untuned(); their number is returned. `on_step` is called after each block with the
  // progress in words.
  using OnStep = std::function<void(const std::string& detail)>;
  using Allow = std::function<std::optional<double>(int searches_left)>;  // seconds for the next one; nullopt: no more searches
  Result<int> tune(const Piece& piece, const Allow& allow, const OnStep& on_step = {});
  // Measures the plans that speak for the piece in a fresh process, verified with every kind of input, unless one did so already.
  Status confirm(const Piece& piece);
  // Measures the piece's pair once more where other load disturbed this job's last figures of it.
  Status measure_disturbed_again(const Piece& piece);
  bool was_disturbed(const Piece& piece) const { return disturbed_.count(piece.key) != 0 && !device_.synthetic; }
  // Measures the piece's two plans once more with the caches emptied before each run. Does nothing where that is known already or
  // the warm figures are missing. A failure here does not count as a failure of the piece.
  Status measure_cold(const Piece& piece);
  // Compares the piece's two plans in fresh processes, by the rule of the gate, where both are timed and that was not done yet; the
  // piece's gain rests on the result from then on. A plan that fails there is stored, too, and not tried again.
  Status decide_gain(const Piece& piece);
  int undecided_gains() const { return undecided_gains_; }  // the machine was not fit to compare on; another job decides them
  // Records that the budget ended before this piece's turn, or why the piece is given up on this device, so that a job with the
  // same budget has nothing to do.
  Status note_untuned(const Piece& piece, const std::string& given_up = "");
  // Returns whether that was recorded with a reason, by this job or an earlier one.
  Result<bool> is_given_up(const Piece& piece);

  BlockMeasurer& measurer() { return measurer_; }
  const SearchDecisions& decided() const { return decided_; }
  const Calibration& calibration() const { return calibration_; }
  const DeviceInfo& device() const { return device_; }
  // Returns why pieces have no figure: piece key → reason.
  const std::map<std::string, std::string>& failures() const { return failures_; }

 private:
  Result<LaunchConfig> config_for(const Graph& graph);  // given, else best known, else stored winner, else the backend's default
  Result<LaunchConfig> default_config(const Graph& graph);
  Result<bool> is_searched(const Graph& graph);
  // The configurations of the piece as one kernel, then of each operator; an Error where no kernel can be made.
  using Configs = std::vector<Result<LaunchConfig>>;
  Result<Configs> even_configs(const Piece& piece);
  Result<std::vector<Candidate>> pair_of(const Piece& piece, Configs configs);
  Result<std::vector<TrialRecord>> measure_pair(const Piece& piece, Freshness freshness);
  Result<std::vector<TrialRecord>> measure_pair(const Piece& piece, Configs configs, Protocol protocol, Freshness freshness);
  Result<CeilingSpec> ceiling_beside(const Piece& piece, const Configs& configs);
  Status judge(const Plan& plan, const PairedCeiling& beside, PlanResult& result);
  // Returns whether a figure beats the ceiling of its graph: the one timed beside it and, after measuring that again, the one that
  // is stored. Where kernels of another backend are as fast, it is the ceiling that was too low: it is raised.
  Result<bool> beats_ceiling(const Plan& plan, const Cost& cost, const PairedCeiling& beside, const PlanResult& result);
  // Returns whether another backend on this processor ran the same kind of plan of this graph about as fast, in this job.
  Result<bool> others_agree(const Plan& plan, double median_ns);
  Status tune_graph(const Graph& graph, const std::string& name, double seconds, const OnStep& on_step);
  Result<std::optional<TuningRecord>> ended_search(const Graph& graph);
  // One of the piece's searches that the budget adds to; equal ones are listed once.
  struct Search {
    const Graph* graph = nullptr;
    std::string name;  // "Add+Relu: Add"
    std::string what;  // "Add alone"
  };
  Result<std::vector<Search>> open_searches(const Piece& piece);
  TuningRecord search_record(const Graph& graph, const wire::DescribeReply& described) const;
  void note_decision(const std::string& name, const TuningDecision& decision);
  Status keep_binaries(const std::vector<Candidate>& pair, const std::vector<TrialRecord>& records);
  void note_failure(const Piece& piece, const std::vector<TrialRecord>& records);
  void note_failure(const Piece& piece, const Error& error);

  JobContext& context_;
  DeviceInfo device_;
  BlockMeasurer measurer_;
  KernelBuilder builder_;
  Calibration calibration_;
  SearchBudget search_budget_;
  SearchDecisions decided_;
  int undecided_gains_ = 0;
  std::map<std::string, LaunchConfig> best_;  // by graph key
  std::map<std::string, std::string> failures_;
  std::set<std::string> disturbed_;  // piece keys
};

}  // namespace fuselab::engine
