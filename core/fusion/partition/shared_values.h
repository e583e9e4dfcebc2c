// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "core/fusion/partition/fuser.h"
#include "core/fusion/partition/repeat_nodes.h"

namespace fuselab {

// A value that several pieces read, with the decision to store it or to compute it anew, made by comparing both costs. Only
// element-wise operators of one output may be computed anew.
struct SharedValue {
  SharedIntermediate told;               // for a value to be computed anew it holds on condition that the copies are fused
  std::optional<Repetition> repetition;  // none: stored once
};

// Changes the decision for a value from computing it anew to storing it once.
void store_after_all(SharedValue& shared, const std::string& why);

// Returns the shared values in the order of the nodes. Call it after the fuser ran.
std::vector<SharedValue> find_shared_values(const GraphIndex& index, const FusionOptions& options, const Fuser& fuser);

// Checks a graph with repeated nodes after its fuser ran: a value whose copies did not come into a piece with all their readers is
// stored once after all, with the reason. Returns true when all copies were fused.
bool keep_fused_copies(std::vector<SharedValue>& shared, const RepeatedGraph& repeated, const GraphIndex& index,
                       const Fuser& fuser);

}  // namespace fuselab
