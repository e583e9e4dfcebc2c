// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backends/codegen/forms/contraction.h"
#include "backends/codegen/ir/ir.h"
#include "core/kernel/launch_config.h"

namespace fuselab::codegen {

// Writes a product of i32, whose sums wrap, by digits of 16 bits: a = l + 65536 h, so that modulo 2^32 the sum of products is
// Σ l·l' + 65536 Σ (h·l' + l·h'). One instruction multiplies and adds two pairs of digits in each lane. A task lays the digits of
// its rows and of a strip of columns out, and leaves the second sum where all of their numbers fit 16 bits.
Function lower_whole_product(const Graph& graph, const ContractionKernel& kernel, const LaunchConfig& config);

}  // namespace fuselab::codegen
