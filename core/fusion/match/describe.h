// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "core/fusion/match/group.h"

namespace fuselab {

// What a finished group is, for people and for choosing a generator.
FusionPatternType classify(const GraphIndex& index, const Group& group, std::span<const NodeId> nodes);
// "encoder/layer.0/attention/query/MatMul+Add": where its contraction stands, or else the common path of its nodes, or the
// first one's; then the last part of each name.
std::string piece_name(const GraphIndex& index, const Group& group, std::span<const NodeId> nodes);
// A node's own name, or what its first output is called, or its operator and place.
std::string node_name(const GraphIndex& index, NodeId id);

}  // namespace fuselab
