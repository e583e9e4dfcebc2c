// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>

#include "core/base/units.h"
#include "core/fusion/match/graph_index.h"

namespace fuselab {

// Simple operations (an addition of two registers' elements is one) of computing these element-wise nodes once; extents are known.
// Weights of the functions: from generated kernels on one machine, see resources/docs/fusion.md.
double simple_operations(const GraphIndex& index, std::span<const NodeId> nodes);

// Whether computing so much more costs less than moving so many bytes to memory or back.
bool pays_to_compute(double operations, Bytes traffic);

// "4.2 M"
std::string operations_text(double operations);

}  // namespace fuselab
