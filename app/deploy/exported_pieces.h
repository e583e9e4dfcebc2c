// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "app/deploy/bundle/manifest.h"
#include "app/engine/execute/piece_maker.h"
#include "app/engine/subject/piece.h"
#include "app/views/snapshots.h"

namespace fuselab::deploy {

// How one piece goes out, decided from what is stored of it.
struct PieceDecision {
  engine::ExecutionCandidate candidate;     // what `exec` runs on this device alone
  std::string configured;                   // kTuned, kUnconfirmed, kDefault
  std::optional<BundleFigure> figure;       // BundleFigure::measured is left open
  std::string trial_id;                     // of the figure
  std::optional<BundleRunnerUp> runner_up;  // on the device's own processor, by any backend
};

// Returns the rows of these tables for a piece, or null.
const engine::CompareRow* row_of(const std::vector<engine::CompareTable>& tables, const std::string& piece_key);

// `row`: what is stored of the piece; may be null.
// Fails with kUnavailable where no plan is left on the device, each having failed when it was measured.
Result<PieceDecision> decide_piece(const engine::Piece& piece, const engine::CompareRow* row, const DeviceInfo& device);

// What leaving the faster libraries costs a model: its time as exported over that with the best plan of every piece, of the pieces
// that were measured.
struct LibraryLoss {
  double exported_ns = 0, best_ns = 0;
  std::vector<std::string> lines;  // per piece that something else runs faster: "attention: onednn:0 fused is 1.21x faster"
  void add(const engine::Piece& piece, const PieceDecision& decision);
  double percent() const { return best_ns > 0 ? 100 * (exported_ns / best_ns - 1) : 0; }
};

}  // namespace fuselab::deploy
