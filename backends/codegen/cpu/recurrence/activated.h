// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backends/codegen/ir/ir.h"
#include "core/ops/recurrence.h"

namespace fuselab::codegen {

// Returns x between two numbers.
ExprPtr bounded(const ExprPtr& x, double low, double high);
// Returns a gate's function of x.
ExprPtr activated(const Activation& activation, const ExprPtr& x);

}  // namespace fuselab::codegen
