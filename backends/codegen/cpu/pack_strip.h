// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "backends/codegen/forms/contraction.h"
#include "backends/codegen/forms/contraction_operand.h"
#include "backends/codegen/ir/ir.h"

namespace fuselab::codegen {

// Columns [first, last) of a contraction's right operand, copied to strip[to + k · width + column - first].
struct StripPacking {
  const Contraction& contraction;
  const ContractionOperand& source;
  ExprPtr base;  // offset in elements of this batch's operand
  std::string strip;
  ExprPtr to = integer(0);
  std::int64_t width = 0;
  ExprPtr first, last;
  int lanes = 1;
};
void pack_strip(Body& body, const StripPacking& packing);

}  // namespace fuselab::codegen
