// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

#include "backends/codegen/ir/ir.h"
#include "core/ops/op.h"

namespace fuselab::codegen {

// Returns the expression of one element-wise operator on register values; `variant` is its textual attribute ("tanh" of Gelu). Clip
// takes its bounds, LeakyRelu and Swish their alpha as further arguments. Requires has_expression(op).
ExprPtr element_wise(Op op, std::string_view variant, const std::vector<ExprPtr>& args);

// Returns true when an element-wise operator is generated; for other operators the families decide.
bool has_expression(Op op);

}  // namespace fuselab::codegen
