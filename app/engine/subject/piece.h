// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/engine/subject/measured_question.h"
#include "app/engine/subject/subject.h"
#include "core/backend/device_info.h"
#include "core/base/result.h"
#include "core/fusion/partition/fusion_engine.h"
#include "core/store/result_store.h"

namespace fuselab::engine {

// One fused operation of a subject, with its operators taken apart for the unfused plan.
struct Piece {
  FusedOperation operation;                    // deduplicated, with its count
  std::string key;                             // graph_key of operation.graph, hex
  std::vector<std::vector<NodeId>> operators;  // nodes of operation.graph, one group per operator that runs; of a whole model none
  std::vector<Graph> operator_graphs;          // extract() of each group
  std::string not_measured;                    // the reason, e.g. an opaque barrier; of a whole model one that a job may set aside

  bool is_single() const { return operators.size() <= 1; }
};

// A subject cut into pieces.
struct FusedModel {
  Subject subject;
  std::string level;  // "O2"; empty: no longer known
  std::vector<Piece> pieces;
  // The model as one graph, for stacks that take models as they are: measured and shown beside the pieces, never chosen for one.
  // Nothing where it is one kernel anyway, where an extent is not bound, and where a barrier keeps it from being verified. Where
  // verifying it takes much, `not_measured` says how much.
  std::optional<Piece> whole;
  FusionResult fusion;  // before deduplication: for the graph page and the reasons
};

// Returns the share of a subject's operators that Fuselab knows, each use of a piece counted; the rest are barriers. Computed from
// the pieces, so that a job and a reader of its stored results give the same figure.
double covered_share(const std::vector<Piece>& pieces);

// Returns whether the device's backend states that it takes the graph of a whole model; nullopt: it cannot be used now, so it
// states nothing.
std::optional<bool> takes_whole_models(const std::vector<BackendReport>& backends, const DeviceInfo& device);

// Returns the limits on one kernel that the backends of these devices state, each once.
std::vector<BackendLimits> limits_of(const std::vector<BackendReport>& backends, const std::vector<DeviceInfo>& devices);

// Cuts the subject into pieces. `asked`: see limits_of(); empty: pieces that every backend that comes with Fuselab can write.
Result<FusedModel> cut(Subject subject, OptimizationLevel level, std::vector<BackendLimits> asked = {});

// Resolves and cuts a subject to look at it: nothing is kept, a built-in model's file neither. Several where it has several shapes.
Result<std::vector<FusedModel>> cut_subject(const Config& config, const std::string& subject, const std::string& binding,
                                            DType dtype, OptimizationLevel level);

// Keeps the whole subject as one piece, for a kernel that the user names. The level is the compiler's.
Result<FusedModel> keep_whole(Subject subject, OptimizationLevel level);

// Returns the piece of a canonical graph by itself, as `cut` would make it of that operation.
Result<Piece> piece_of(const std::string& canonical, std::string name, FusionPatternType pattern);

// Returns the pieces of a question as the newest run that asked it stored them; no model file is needed.
Result<FusedModel> stored_fused_model(const Catalog& catalog, const MeasuredQuestion& asked);

}  // namespace fuselab::engine
