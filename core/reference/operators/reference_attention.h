// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/reference/operators/operator_row.h"

namespace fuselab::reference {

// One row of the scores: the query of one head in one batch.
struct AttentionRow {
  std::int64_t batch, head, query;
};

// Extents of one attention and the layout of its vectors: Q [B,H,S,D] K [B,G,T,D] V [B,G,T,E], or flat [B,S,H·D] and so on.
struct AttentionShape {
  bool flat = false;
  std::int64_t batch = 1, heads = 1, shared_heads = 1, queries = 1, keys = 1, depth = 1, width = 1;

  AttentionRow row_of(std::int64_t output) const;  // `output` is a flat position
  std::int64_t output_base(const AttentionRow& row) const;
  std::int64_t query_base(const AttentionRow& row) const;
  // Returns the place of a key (vector = depth) or a value (vector = width).
  std::int64_t shared_base(const AttentionRow& row, std::int64_t key, std::int64_t vector) const;
};
AttentionShape attention_shape(const Node& node, std::span<const std::int64_t> q, std::span<const std::int64_t> k,
                               std::span<const std::int64_t> v);

}  // namespace fuselab::reference
