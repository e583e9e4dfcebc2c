// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>

#include "core/base/units.h"
#include "core/fusion/match/graph_index.h"

namespace fuselab {

// Returns the simple operations (an addition of two registers' elements is one) that computing these element-wise nodes once takes;
// extents must be known. The weights of the functions come from generated kernels on one machine: resources/docs/results/fusion.md.
double simple_operations(const GraphIndex& index, std::span<const NodeId> nodes);

// Returns true when these additional operations cost less than moving these bytes to memory or back.
bool pays_to_compute(double operations, Bytes traffic);

// Returns a count for people: "4.2 M".
std::string operations_text(double operations);

}  // namespace fuselab
