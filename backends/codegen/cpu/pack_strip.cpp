// SPDX-License-Identifier: Apache-2.0
#include "backends/codegen/cpu/pack_strip.h"

#include "core/base/assert.h"

namespace fuselab::codegen {
namespace {

const ExprPtr& k_index() {
  static const ExprPtr k = variable("k", kIndex);
  return k;
}

const ExprPtr& col_index() {
  static const ExprPtr col = variable("col", kIndex);
  return col;
}

void put(Body& body, const StripPacking& p, const ExprPtr& k, ExprPtr value) {
  BodyBuilder(body).store(
      {p.strip, p.to + k * integer(p.width) + (col_index() - p.first), std::move(value), p.contraction.compute, false});
}

void pack_rows(Body& body, const StripPacking& p) {
  const Contraction& c = p.contraction;
  Body& each_k = BodyBuilder(body).loop(LoopKind::kSerial, "k", integer(0), integer(c.k), integer(1));
  const ExprPtr from = p.base + k_index() * integer(c.right_stride) + col_index();
  Body& vectors = BodyBuilder(each_k).loop(LoopKind::kVector, "col", p.first, p.last, integer(p.lanes));
  put(vectors, p, k_index(), p.source.at(vectors, from, p.lanes));
  if (c.n % p.lanes == 0) return;
  const ExprPtr begin = p.first + (p.last - p.first) / integer(p.lanes) * integer(p.lanes);
  Body& tail = BodyBuilder(each_k).loop(LoopKind::kSerial, "col", begin, p.last, integer(1));
  put(tail, p, k_index(), p.source.at(tail, from, 1));
}

// Reads along k, where memory is contiguous, and turns the strip around.
void pack_columns(Body& body, const StripPacking& p) {
  const Contraction& c = p.contraction;
  Body& columns = BodyBuilder(body).loop(LoopKind::kSerial, "col", p.first, p.last, integer(1));
  Body& each_k = BodyBuilder(columns).loop(LoopKind::kSerial, "k", integer(0), integer(c.k), integer(1));
  const ExprPtr from = p.base + col_index() * integer(c.right_stride) + k_index();
  put(each_k, p, k_index(), p.source.at(each_k, from, 1));
}

}  // namespace

void pack_strip(Body& body, const StripPacking& packing) {
  switch (packing.contraction.layout) {
    case RightLayout::kRows: return pack_rows(body, packing);
    case RightLayout::kColumns: return pack_columns(body, packing);
    case RightLayout::kWindows: break;  // convolutions have a family of their own
  }
  FL_ASSERT(false);
}

}  // namespace fuselab::codegen
