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

// How the searches of a job ended beside what they began with.
struct SearchDecisions {
  int improved = 0;  // shown to be faster
  int kept = 0;
  int open = 0;  // the machine was not fit to compare on: kept until another job decides
};
inline constexpr int kSearchesToTellOf = 8;  // one by one, in a job's messages

// Everything one job does on one device: the measurer of blocks, the builder of kernels, the ceilings, and for every graph
// (a piece or a single operator) the best configuration known so far.
class DeviceTuner {
 public:
  DeviceTuner(JobContext& context, const DeviceInfo& device, const EnvironmentIdentity& environment);
  DeviceTuner(const DeviceTuner&) = delete;
  DeviceTuner& operator=(const DeviceTuner&) = delete;

  // First figures of a piece: fused and unfused in one block, each in its best known configuration; while one of its kernels was
  // never searched, all in their default ones.
  Status bench(const Piece& piece);
  // What to measure of this piece instead: kInvalidArgument when it does not fit the space of the piece's kernel.
  Status give_config(const Piece& piece, const LaunchConfig& config);
  // Measures the piece's kernel in the configuration that was given, alone. Alone it is no evidence where a pair was measured, so
  // it takes no winner's place; the job's own table shows it and nothing else.
  Status bench_given_config(const Piece& piece);
  // What the job gives each search, before any of these are asked: how many searches a piece takes, ended ones included; how many
  // of them that budget adds to (0: nothing left to tune); whether all of them have been searched at all.
  void set_search_budget(SearchBudget budget) { search_budget_ = std::move(budget); }
  Result<int> searches(const Piece& piece);
  Result<int> searches_left(const Piece& piece);
  Result<bool> is_tuned(const Piece& piece);
  // Whether the piece is tuned and its winners were never held against each other: the job that found them was killed before.
  Result<bool> awaits_winners(const Piece& piece);
  // Searches the piece's kernel and each of its operators' kernels for as long as `allow` says; then measures the winners against
  // each other in a fresh process. Searches that are already stored as ended are not repeated; those that are not allowed are noted
  // as note_untuned() does, and counted in what is returned. `on_step` is told how far it is, in words, after each block.
  using OnStep = std::function<void(const std::string& detail)>;
  using Allow = std::function<std::optional<double>(int searches_left)>;  // seconds of the next one; nothing: no more
  Result<int> tune(const Piece& piece, const Allow& allow, const OnStep& on_step = {});
  // Measures the piece's pair once more where other load disturbed this job's last figures of it.
  Status bench_disturbed_again(const Piece& piece);
  // The piece's two plans once more with the caches emptied before each run; nothing is done where that is known already or the
  // warm figures are missing. A failure is no failure of the piece.
  Status bench_cold(const Piece& piece);
  // Holds the piece's two plans against each other in fresh processes, by the rule of the gate, where both are timed and nobody did
  // yet: its gain stands on that from then on. A plan that fails there is stored, too, and not tried again.
  Status decide_gain(const Piece& piece);
  int undecided_gains() const { return undecided_gains_; }  // the machine was not fit: another job decides them
  // Notes that the budget ended before this piece's turn, so that the same budget has nothing to do.
  Status note_untuned(const Piece& piece);

  BlockMeasurer& measurer() { return measurer_; }
  const SearchDecisions& decided() const { return decided_; }
  const Calibration& calibration() const { return calibration_; }
  const DeviceInfo& device() const { return device_; }
  // Why a piece has no figure: piece key → reason.
  const std::map<std::string, std::string>& failures() const { return failures_; }

 private:
  Result<LaunchConfig> config_for(const Graph& graph);  // given, else best known, else stored winner, else the backend's default
  Result<LaunchConfig> default_config(const Graph& graph);
  Result<bool> is_searched(const Graph& graph);
  // Of the piece as one kernel first, then of each operator; an Error where no kernel can be made.
  using Configs = std::vector<Result<LaunchConfig>>;
  Result<Configs> even_configs(const Piece& piece);
  Result<std::vector<Candidate>> pair_of(const Piece& piece, Configs configs);
  Result<std::vector<TrialRecord>> measure_pair(const Piece& piece, Freshness freshness);
  Status judge(const Plan& plan, PlanResult& result);
  // Whether a figure beats the ceiling of its graph however often that is measured again.
  Result<bool> beats_ceiling(const Graph& graph, const Cost& cost, double median_ns);
  Status tune_graph(const Graph& graph, const std::string& name, double seconds, const OnStep& on_step);
  Result<std::optional<TuningRecord>> ended_search(const Graph& graph);
  // Of the piece's searches those that the budget adds to, each once.
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
