// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backends/codegen/forms/byte_product.h"
#include "backends/codegen/ir/ir.h"
#include "core/kernel/launch_config.h"

namespace fuselab::codegen {

// Returns whether the right operand is constant, with its zero points, so that it can be laid out ahead of what is timed.
bool may_lay_out_ahead(const Graph& graph, const ByteProductKernel& kernel);

// Writes a product of 8-bit numbers. Rows of A are read as they lie, four bytes at a time; columns of B are laid out in registers
// whose lanes hold four bytes of one column. The instruction multiplies u8 by i8: other signs are turned by 128 on the way, and
// that and zero points are taken off the sums: Σ(a - z)(b - y) = Σab - z·Σb - y·Σa + k·z·y.
Function lower_integer_product(const Graph& graph, const ByteProductKernel& kernel, const LaunchConfig& config);

}  // namespace fuselab::codegen
