// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "core/fusion/match/group.h"

namespace fuselab {

// Returns the pattern of a finished group, for people and for choosing a generator.
FusionPatternType classify(const GraphIndex& index, const Group& group, std::span<const NodeId> nodes);
// Returns a piece's name, such as "encoder/layer.0/attention/query/MatMul+Add": the path of its contraction, else the common path
// of its nodes, else that of the first one; then the last part of each name.
std::string piece_name(const GraphIndex& index, const Group& group, std::span<const NodeId> nodes);
// Returns a node's own name, else the name of its first output, else its operator and place.
std::string node_name(const GraphIndex& index, NodeId id);

}  // namespace fuselab
