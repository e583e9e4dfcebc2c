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
      {p.strip, k * integer(p.width) + (col_index() - p.first), std::move(value), p.contraction.compute, false});
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

// One image row's position, as (index, inside): inside is the C condition that it is not padding.
ExprPtr inside(const ExprPtr& position, std::int64_t extent) {
  return binary("&&", binary(">", position, integer(-1)), binary("<", position, integer(extent)));
}

void pack_windows(Body& body, const StripPacking& p) {
  const Contraction& c = p.contraction;
  const Windows& w = c.windows;
  const auto serial = [](Body& at, const char* name, std::int64_t count) -> Body& {
    return BodyBuilder(at).loop(LoopKind::kSerial, name, integer(0), integer(count), integer(1));
  };
  const ExprPtr channel = variable("channel", kIndex);
  const ExprPtr ky = variable("ky", kIndex);
  const ExprPtr kx = variable("kx", kIndex);
  Body& each_ky = serial(serial(body, "channel", w.channels), "ky", w.kernel_height);
  Body& each_kx = serial(each_ky, "kx", w.kernel_width);
  const ExprPtr k = BodyBuilder(each_kx).declare("k", (channel * integer(w.kernel_height) + ky) * integer(w.kernel_width) + kx);
  Body& columns = BodyBuilder(each_kx).loop(LoopKind::kSerial, "col", p.first, p.last, integer(1));
  BodyBuilder builder(columns);
  const ExprPtr y = builder.declare(
      "from_y", col_index() / integer(w.out_width) * integer(w.stride_y) - integer(w.pad_top) + ky * integer(w.dilation_y));
  const ExprPtr x = builder.declare(
      "from_x", col_index() % integer(w.out_width) * integer(w.stride_x) - integer(w.pad_left) + kx * integer(w.dilation_x));
  const IrType one = {c.compute, 1};
  const ExprPtr pixel = builder.declare_variable("pixel", real(0, one));
  Body& hit = builder.when(binary("&&", inside(y, w.height), inside(x, w.width)));
  const ExprPtr from = p.base + (channel * integer(w.height) + y) * integer(w.width) + x;
  BodyBuilder(hit).assign(pixel, p.source.at(hit, from, 1));
  put(columns, p, k, pixel);
}

}  // namespace

void pack_strip(Body& body, const StripPacking& packing) {
  switch (packing.contraction.layout) {
    case RightLayout::kRows: return pack_rows(body, packing);
    case RightLayout::kColumns: return pack_columns(body, packing);
    case RightLayout::kWindows: return pack_windows(body, packing);
  }
  FL_ASSERT(false);
}

}  // namespace fuselab::codegen
