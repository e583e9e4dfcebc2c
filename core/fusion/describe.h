// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "core/fusion/group.h"

namespace fuselab {

// What a finished group is, for people and for choosing a generator.
FusionPatternType classify(const GraphIndex& index, const Group& group, std::span<const NodeId> nodes);
// "encoder/layer.0/attention/query/MatMul+Add": the common path of the node names and what differs behind it.
std::string piece_name(const GraphIndex& index, std::span<const NodeId> nodes);
// A node's own name, or what its first output is called, or its operator and place.
std::string node_name(const GraphIndex& index, NodeId id);

}  // namespace fuselab
