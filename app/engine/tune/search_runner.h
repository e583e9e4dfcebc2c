// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "app/engine/measure/block_measurer.h"
#include "app/engine/measure/calibration.h"
#include "app/engine/tune/device_pieces.h"
#include "app/engine/tune/search_budget.h"

namespace fuselab::engine {

// Counts how the searches of a job ended against the configurations they began with.
struct SearchDecisions {
  int improved = 0;  // shown to be faster
  int kept = 0;
  int open = 0;  // the machine was not fit to compare on: the start is kept until another job decides
};
inline constexpr int kSearchesToTellOf = 8;  // this many are reported one by one in a job's messages

// Runs the searches of a job on one device: of each piece as one kernel and of each of its operators.
class SearchRunner {
 public:
  SearchRunner(JobContext& context, DevicePieces& pieces, BlockMeasurer& measurer, Calibration& calibration)
      : context_(context), pieces_(pieces), measurer_(measurer), calibration_(calibration) {}

  // Sets what the job gives each search; called before the functions below.
  void set_budget(SearchBudget budget) { budget_ = std::move(budget); }
  // Return how many searches a piece takes, ended ones included, and how many of them the budget adds to (0: nothing left to tune).
  Result<int> count(const Piece& piece);
  Result<int> left(const Piece& piece);
  // Returns whether all of them have been searched at all.
  Result<bool> is_tuned(const Piece& piece) { return pieces_.is_tuned(pieces_.of(piece)); }

  // Searches for as long as `allow` says. Searches already stored as ended are not repeated. Searches that are not allowed are
  // noted as by note_untuned(); their number is returned. `on_step` is called after each block with the progress in words.
  using OnStep = std::function<void(const std::string& detail)>;
  using Allow = std::function<std::optional<double>(int searches_left)>;  // seconds for the next one; nullopt: no more searches
  Result<int> run(const Piece& piece, const Allow& allow, const OnStep& on_step);

  // Records that the budget ended before this piece's turn, or why the piece is given up on this device, so that a job with the
  // same budget has nothing to do. The result of an earlier search is kept.
  Status note_untuned(const Piece& piece, const std::string& given_up = "");
  // Returns whether that was recorded with a reason, by this job or an earlier one.
  Result<bool> is_given_up(const Piece& piece);

  const SearchDecisions& decided() const { return decided_; }

 private:
  // One of the piece's searches that the budget adds to; equal ones are listed once.
  struct Search {
    DeviceGraph* graph = nullptr;
    std::string name;  // "Add+Relu: Add"
    std::string what;  // "Add alone"
  };
  Result<std::vector<Search>> open_searches(const Piece& piece);
  Status run_search(const Search& search, double seconds, const OnStep& on_step);
  TuningRecord record_of(const DeviceGraph& graph) const;
  void note_decision(const std::string& name, const TuningDecision& decision);

  JobContext& context_;
  DevicePieces& pieces_;
  BlockMeasurer& measurer_;
  Calibration& calibration_;
  SearchBudget budget_;
  SearchDecisions decided_;
};

}  // namespace fuselab::engine
