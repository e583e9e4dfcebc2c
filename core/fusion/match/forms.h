// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "core/fusion/match/group.h"

namespace fuselab {

// The most operands of an operator that may share a kernel. Every edge to it looks at all its operands, and a Max in an untrusted
// model may have tens of thousands.
inline constexpr std::size_t kMostRead = 256;

// Returns true for operators that no backend of Fuselab writes into one kernel with others: in a group they would keep their
// neighbours from running.
bool shares_no_kernel(Op op);

// Returns true when a Reduce*, Softmax or norm works on exactly the last axis of its first input.
bool works_on_last_axis(const GraphIndex& index, NodeId id);

// Returns the group of one operator by its row: the form of its loops, or why it stays alone. Options and annotations are not
// looked at.
Group form_of(const GraphIndex& index, NodeId id);

// Returns a group that joins no other.
Group alone(const Shape& space, std::string because);

}  // namespace fuselab
