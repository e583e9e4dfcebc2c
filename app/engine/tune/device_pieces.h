// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/engine/kernels/evidence_reader.h"
#include "app/engine/kernels/kernel_builder.h"
#include "app/engine/measure/block_measurer.h"
#include "app/engine/subject/piece.h"

namespace fuselab::engine {

// A piece on one device.
struct DevicePiece {
  const Piece& piece;
  std::vector<DeviceGraph*> graphs;  // as graphs_of() lists them: the piece as one kernel, then each of its operators alone
};

// The launch configurations of a piece's kernels, in the order of DevicePiece::graphs; an Error where no kernel can be made.
using PieceConfigs = std::vector<Result<LaunchConfig>>;

// The pieces of a job on one device: how far each is searched, the best configuration known of each kernel, and the two plans made
// of these.
class DevicePieces {
 public:
  DevicePieces(JobContext& context, const DeviceInfo& device, std::string environment_key)
      : context_(context), device_(device), environment_key_(std::move(environment_key)), builder_(context, device) {}

  // The piece has to outlive this object.
  DevicePiece of(const Piece& piece);
  DeviceGraph& whole(const Piece& piece) { return builder_.of(piece.operation.graph); }

  // Returns how stored figures of the graph are found, and those of the piece: under the job's metric unless one is named.
  EvidenceKey key_of(const std::string& graph_key) const;
  AskedEvidence asked(const Piece& piece, const std::string& metric_key = "") const;

  // Returns the search of this graph that a job stored as ended, as long as it ranged over what a search would range over today.
  Result<std::optional<TuningRecord>> ended_search(const DeviceGraph& graph) const;
  // Returns whether all of the piece's kernels were searched.
  Result<bool> is_tuned(const DevicePiece& piece) const;
  // Returns the configuration given, else the best known, else the stored winner, else the backend's default.
  Result<LaunchConfig> best_config(DeviceGraph& graph) const;
  // Returns configurations that are either all tuned or all untuned. Otherwise an operator searched for another piece's sake would
  // be compared with a kernel that was never searched.
  Result<PieceConfigs> even_configs(const DevicePiece& piece) const;
  // Makes the kernels, and returns the piece as one kernel and, unless it is a single operator, as its operators one by one.
  Result<std::vector<Candidate>> pair_of(const DevicePiece& piece, PieceConfigs configs);

  KernelBuilder& builder() { return builder_; }
  const DeviceInfo& device() const { return device_; }

 private:
  Result<bool> is_searched(const DeviceGraph& graph) const;

  JobContext& context_;
  const DeviceInfo& device_;
  std::string environment_key_;
  KernelBuilder builder_;
};

}  // namespace fuselab::engine
