// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "backends/codegen/ir/ir.h"
#include "backends/codegen/ir/names.h"
#include "backends/codegen/matrix/attention/attention_units.h"

namespace fuselab::codegen {

// Returns names for a graph's values that leave those of a skeleton's functions and their parameters free.
Names names_beside_attention();

// Returns what resources/kernels/cuda/skeletons/attention_rows.cuh leaves open: constants, where operands lie, the mask.
// `keys_at_once`: a block walks the keys in such steps, so that the last one may pass their end.
Skeleton attention_skeleton(const Graph& graph, const AttentionUnits& units, const std::vector<KernelParameter>& parameters,
                            std::int64_t keys_at_once);

}  // namespace fuselab::codegen
