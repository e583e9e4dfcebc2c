// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "core/base/result.h"
#include "core/graph/graph.h"

namespace fuselab::codegen {

// The layout of an operand's vectors: strides over the batch axes, between vectors, and between a vector's elements.
struct AttentionOperand {
  int input = 0;  // position among the graph's inputs
  std::vector<std::int64_t> batches;
  std::int64_t vector = 0;
  std::int64_t element = 1;
};

// softmax(scale · Q·Kᵀ + mask)·V per batch and head, whatever form the graph writes it in.
struct Attention {
  DType compute = DType::kF32;
  std::vector<std::int64_t> batch_extents;
  std::int64_t queries = 1, keys = 1, depth = 1, width = 1;
  double scale = 1;
  double softcap = 0;
  bool causal = false;
  AttentionOperand query, key, value, mask, result;  // in the mask, vectors are queries and elements keys
  bool has_mask = false;
  // The score that a bool mask sets, and whether it does so where it is true, as masked_fill, or where it is false.
  double hidden = -std::numeric_limits<double>::infinity();
  bool hides_where_true = false;
  // True for the operator, whose result is 0 where a mask hides all keys of a query (onnx/onnx#8068); written out, Softmax makes it
  // NaN.
  bool hidden_is_zero = false;

  std::int64_t batches() const;
  // Returns the initial value of the search for a row's largest score. With hidden_is_zero it is the least finite number, so that a
  // hidden score of -Inf minus it still weighs e^-Inf = 0.
  double least_score() const;
};

// Recognises the Attention operator, or MatMul, scale, mask, Softmax, MatMul.
// Fails with kUnsupported and what does not fit.
Result<Attention> make_attention(const Graph& graph);

}  // namespace fuselab::codegen
