// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "backends/codegen/rows/row_program.h"
#include "core/base/result.h"
#include "core/cost/integer_product.h"
#include "core/graph/graph.h"

namespace fuselab::codegen {

// Positions of an operand of a product of 8-bit numbers among the graph's inputs.
struct ByteSource {
  int bytes = 0;
  std::optional<int> zero;
};

struct ByteProductKernel {
  IntegerProduct product;
  ByteSource a, b;
  std::optional<RowProgram> epilogue;  // behind the Cast to reals; none: the product itself is the only output
};

// Recognises one integer product of 8-bit numbers, followed by a Cast to reals and element-wise operators, or by nothing.
// Fails with kUnsupported and what does not fit.
Result<ByteProductKernel> make_byte_product(const Graph& graph);

}  // namespace fuselab::codegen
