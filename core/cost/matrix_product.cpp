// SPDX-License-Identifier: Apache-2.0
#include "core/cost/matrix_product.h"

#include <algorithm>

#include "core/extents/strides.h"

namespace fuselab {

MatrixProduct matrix_product_of(const Node& node, std::span<const std::int64_t> a, std::span<const std::int64_t> b) {
  MatrixProduct p;
  if (node.op == Op::kGemm) {
    const bool trans_a = node.attributes.integer("transA", 0) != 0;
    const bool trans_b = node.attributes.integer("transB", 0) != 0;
    p.rows = a[trans_a ? 1 : 0];
    p.depth = a[trans_a ? 0 : 1];
    p.columns = b[trans_b ? 0 : 1];
    p.a_row = trans_a ? 1 : a[1];
    p.a_depth = trans_a ? a[1] : 1;
    p.b_depth = trans_b ? 1 : b[1];
    p.b_column = trans_b ? b[1] : 1;
    p.a_base = p.b_base = {0};
    return p;
  }
  std::vector<std::int64_t> left(a.begin(), a.end()), right(b.begin(), b.end());
  if (left.size() == 1) left = {1, left.front()};
  if (right.size() == 1) right = {right.front(), 1};
  p.rows = left[left.size() - 2];
  p.depth = left.back();
  p.columns = right.back();
  p.a_row = p.depth;
  p.b_depth = p.columns;
  p.b_column = 1;
  const std::span<const std::int64_t> a_batch = std::span(left).first(left.size() - 2);
  const std::span<const std::int64_t> b_batch = std::span(right).first(right.size() - 2);
  std::vector<std::int64_t> batch(std::max(a_batch.size(), b_batch.size()), 1);
  for (std::size_t i = 0; i < a_batch.size(); ++i) batch[batch.size() - a_batch.size() + i] = a_batch[i];
  for (std::size_t i = 0; i < b_batch.size(); ++i) {
    std::int64_t& extent = batch[batch.size() - b_batch.size() + i];
    if (extent == 1) extent = b_batch[i];
  }
  const BroadcastIndex a_index(batch, a_batch), b_index(batch, b_batch);
  const auto batches = static_cast<std::size_t>(product_of(batch));
  p.a_base.resize(batches);
  p.b_base.resize(batches);
  for (std::size_t i = 0; i < batches; ++i) {
    p.a_base[i] = a_index(static_cast<std::int64_t>(i)) * p.rows * p.depth;
    p.b_base[i] = b_index(static_cast<std::int64_t>(i)) * p.depth * p.columns;
  }
  return p;
}

}  // namespace fuselab
