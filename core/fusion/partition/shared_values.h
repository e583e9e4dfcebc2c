// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "core/fusion/partition/fuser.h"
#include "core/fusion/partition/repeat_nodes.h"

namespace fuselab {

// What several pieces read: decided by what the one and the other cost. Element-wise operators of one output may be computed anew.
struct SharedValue {
  SharedIntermediate told;               // of those that pay to compute anew: on condition that the copies are fused
  std::optional<Repetition> repetition;  // none: stored once
};

// What was to be computed anew is stored once.
void store_after_all(SharedValue& shared, const std::string& why);

// After the fuser ran: in the order of the nodes.
std::vector<SharedValue> find_shared_values(const GraphIndex& index, const FusionOptions& options, const Fuser& fuser);

// Of a graph in which they were repeated, after its fuser ran: takes back whose copies did not come into a piece with all their
// readers, with the reason. Whether all did.
bool keep_fused_copies(std::vector<SharedValue>& shared, const RepeatedGraph& repeated, const GraphIndex& index,
                       const Fuser& fuser);

}  // namespace fuselab
