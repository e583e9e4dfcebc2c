// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backends/library/claims.h"
#include "backends/torch/lowering.h"

namespace fuselab::torch {

// Seen with 2.15.0 on AVX2.
inline constexpr library::OpLoss kLosesNan[] = {Op::kSign, Op::kAttention};

// The operators that PyTorch computes within the tolerances, special inputs included, except for losses: those that have a call.
inline const library::Claims& claims() {
  static const std::vector<Op> asked = lowered_operators();
  static const library::Claims claims{.loses_nan = kLosesNan, .asked = asked, .not_asked = "it is not asked of PyTorch"};
  return claims;
}

// Seen there, too: in 16 bits Erf is inexact near 0, LogSoftmax is so of large numbers, and a product is rounded after each factor;
// a mask is added to what it hides, so that NaN stays.
inline bool loses_precision(const Graph& graph, const Node& node) {
  const bool is_short = bits_of(graph.type(node.outputs.front()).dtype) < 32;
  return (node.op == Op::kAttention && node.inputs.size() > 3) ||
         (is_short && (node.op == Op::kErf || node.op == Op::kReduceProd || node.op == Op::kLogSoftmax));
}

inline Drawbacks drawbacks_in(const Graph& graph) {
  Drawbacks drawbacks = claims().drawbacks_in(graph);
  for (const Node& node : graph.nodes()) {
    if (loses_precision(graph, node)) drawbacks.add(Drawback::kPrecisionLoss);
  }
  return drawbacks;
}

}  // namespace fuselab::torch
