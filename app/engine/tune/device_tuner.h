// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "app/engine/measure/block_measurer.h"
#include "app/engine/measure/calibration.h"
#include "app/engine/tune/ceiling_judge.h"
#include "app/engine/tune/device_pieces.h"
#include "app/engine/tune/gain_decider.h"
#include "app/engine/tune/search_runner.h"

namespace fuselab::engine {

// Everything one job does on one device: measures the pairs of pieces, runs their searches and decides their gains.
class DeviceTuner {
 public:
  DeviceTuner(JobContext& context, const DeviceInfo& device, const EnvironmentIdentity& environment);
  DeviceTuner(const DeviceTuner&) = delete;
  DeviceTuner& operator=(const DeviceTuner&) = delete;

  // The pieces have to outlive this object.
  // Measures the first figures of a piece: fused and unfused in one block, each in its best known configuration; while one of its
  // kernels was never searched, all in their default ones.
  Status measure(const Piece& piece);
  // Sets a configuration to measure for this piece instead. Fails with kInvalidArgument when it does not fit the space of the
  // piece's kernel.
  Status give_config(const Piece& piece, const LaunchConfig& config);
  // Measures the piece's kernel alone in the configuration that was given. It does not replace a winner, since a kernel measured
  // alone is no evidence where a pair was measured; only the job's own table shows it.
  Status measure_given_config(const Piece& piece);
  // Runs the piece's searches as SearchRunner::run() does. Once all of its kernels are searched, measures the winners against each
  // other in a fresh process.
  Result<int> tune(const Piece& piece, const SearchRunner::Allow& allow, const SearchRunner::OnStep& on_step = {});
  // Returns whether the piece is tuned but its winners were never compared, because the job that found them was killed before.
  Result<bool> awaits_winners(const Piece& piece);
  // Measures the plans that speak for the piece in a fresh process, verified with every kind of input, unless one did so already.
  Status confirm(const Piece& piece);
  // Measures the piece's pair once more where other load disturbed this job's last figures of it.
  Status measure_disturbed_again(const Piece& piece);
  bool was_disturbed(const Piece& piece) const { return disturbed_.count(piece.key) != 0 && !device_.synthetic; }
  // Measures the piece's two plans once more with the caches emptied before each run. Does nothing where that is known already or
  // the warm figures are missing. A failure here does not count as a failure of the piece.
  Status measure_cold(const Piece& piece);

  SearchRunner& searches() { return searches_; }
  GainDecider& gains() { return gains_; }
  BlockMeasurer& measurer() { return measurer_; }
  const Calibration& calibration() const { return calibration_; }
  const DeviceInfo& device() const { return device_; }
  // Returns why pieces have no figure: piece key → reason.
  const std::map<std::string, std::string>& failures() const { return failures_; }

 private:
  Result<std::vector<TrialRecord>> measure_pair(const DevicePiece& piece, PieceConfigs configs, Protocol protocol,
                                                Freshness freshness);
  Status measure_even_pair(const DevicePiece& piece, Freshness freshness);
  Status keep_binaries(const std::vector<Candidate>& pair, const std::vector<TrialRecord>& records);
  void note_failure(const Piece& piece, const std::vector<TrialRecord>& records);
  void note_failure(const Piece& piece, const Error& error);

  JobContext& context_;
  DeviceInfo device_;
  BlockMeasurer measurer_;
  Calibration calibration_;
  CeilingJudge judge_;
  DevicePieces pieces_;
  SearchRunner searches_;
  GainDecider gains_;
  std::map<std::string, std::string> failures_;
  std::set<std::string> disturbed_;  // piece keys
};

}  // namespace fuselab::engine
