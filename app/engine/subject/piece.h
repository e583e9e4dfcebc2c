// SPDX-License-Identifier: Apache-2.0
#pragma once

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
  std::vector<std::vector<NodeId>> operators;  // nodes of operation.graph, one group per operator that runs
  std::vector<Graph> operator_graphs;          // extract() of each group
  std::string not_measured;                    // why, e.g. an opaque barrier; empty for ordinary pieces

  bool is_single() const { return operators.size() <= 1; }
};

// A subject cut into pieces.
struct FusedModel {
  Subject subject;
  std::string level;  // "O2"; empty: not known any more
  std::vector<Piece> pieces;
  FusionResult fusion;  // before deduplication: for the graph page and the reasons
};

// The share of a subject's operators that Fuselab knows, each use of a piece counted: the rest are barriers. Asked of the pieces,
// so that a job and whoever reads what it stored say the same.
double covered_share(const std::vector<Piece>& pieces);

// What the backends of these devices say that one kernel may hold, each once.
std::vector<BackendLimits> limits_of(const std::vector<BackendReport>& backends, const std::vector<DeviceInfo>& devices);

// `asked`: see limits_of(); empty: as the backends that come with Fuselab can all write it.
Result<FusedModel> cut(Subject subject, OptimizationLevel level, std::vector<BackendLimits> asked = {});

// The whole subject as one piece, however it would be cut: for a kernel that somebody names. The level is the compiler's.
Result<FusedModel> keep_whole(Subject subject, OptimizationLevel level);

// The pieces of a question as the newest run that asked it stored them: no file is needed any more.
Result<FusedModel> stored_fused_model(const Catalog& catalog, const MeasuredQuestion& asked);

}  // namespace fuselab::engine
