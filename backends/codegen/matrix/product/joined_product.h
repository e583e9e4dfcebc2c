// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "backends/codegen/forms/contraction.h"
#include "core/base/result.h"

namespace fuselab::codegen {

// An RMSNormalization of the left operand's rows. Its factor of a row scales the row's sums.
struct RowNorm {
  int weights = 0;  // the position of its weights among the graph's inputs
  double epsilon = 0;
};

// A product with what else the kernel multiplies.
struct JoinedProduct {
  ContractionKernel kernel;  // its left operand is read before it is normalised
  std::optional<int>
      twin;  // the position of another right operand, which lies as the first: its result is kTwinInput in what follows
  std::optional<RowNorm> norm;  // of the left operand
};

// Recognises two products of one left operand whose results meet in element-wise operators, as gate and up of a feed-forward layer;
// and a norm before one or both. Fails with kUnsupported and what keeps them from one kernel.
Result<JoinedProduct> make_joined_product(const Graph& graph);
// Returns whether a graph has two products or a norm.
bool joins_products(const Graph& graph);

}  // namespace fuselab::codegen
