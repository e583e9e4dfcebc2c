// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/engine/subject/piece.h"
#include "app/views/snapshots.h"

namespace fuselab::engine {

// Returns the whole graph of a subject with its groups and, for every edge that fusion left apart, the reason. Constants are left
// out.
GraphView view_graph(const FusedModel& fused_model);

// Returns what reading and folding changed: a sentence for each operator that is none any more, and one for loops.
std::vector<std::string> changes_of(const GraphView& view);
// Returns the number of pieces where those that are alike count once, as a table of figures has them.
std::size_t distinct_pieces(const GraphView& view);

// Returns the paragraph that `fuse --why A B` prints: why two nodes are not in one piece, or that they are. Empty where the view
// has no fusion or both are one node.
std::string why_apart(const GraphView& view, int first, int second);

}  // namespace fuselab::engine
