// SPDX-License-Identifier: Apache-2.0
#include "backends/codegen/forms/contraction_elements.h"

namespace fuselab::codegen {
namespace {

ExprPtr within(const ExprPtr& position, std::int64_t extent) {
  return both(binary(">", position, integer(-1)), below(position, extent));
}

}  // namespace

ExprPtr both(const ExprPtr& a, const ExprPtr& b) {
  if (!a) return b;
  return b ? binary("&&", a, b) : a;
}

ExprPtr below(const ExprPtr& index, std::int64_t extent) {
  return binary("<", index, integer(extent));
}

ContractionElements::ContractionElements(const Graph& graph, const ContractionKernel& kernel,
                                         const std::vector<KernelParameter>& parameters, Names& names)
    : c_(kernel.contraction),
      names_(names),
      left_(Side::kLeft, graph, kernel, parameters, names),
      right_(Side::kRight, graph, kernel, parameters, names) {}

ExprPtr ContractionElements::left(Body& body, const ExprPtr& at, const ExprPtr& row, const ExprPtr& k) const {
  return left_.at(body, at + row * integer(c_.left_row) + k * integer(c_.left_step), 1);
}

GuardedElement ContractionElements::right(Body& body, const ExprPtr& at, const ExprPtr& k, const ExprPtr& column) const {
  const auto element_at = [&](const ExprPtr& index) {
    return [this, at, index](Body& there) { return right_.at(there, at + index, 1); };
  };
  if (c_.layout == RightLayout::kRows) return {nullptr, element_at(k * integer(c_.right_stride) + column)};
  if (c_.layout == RightLayout::kColumns) return {nullptr, element_at(column * integer(c_.right_stride) + k)};
  const Windows& w = c_.windows;
  BodyBuilder builder(body);
  const std::int64_t window = w.kernel_height * w.kernel_width;
  const ExprPtr pixel = w.is_flat() ? column : column % integer(w.out_height * w.out_width);
  const ExprPtr y =
      builder.declare(names_.unique("from_y"), pixel / integer(w.out_width) * integer(w.stride_y) - integer(w.pad_top) +
                                                   k % integer(window) / integer(w.kernel_width) * integer(w.dilation_y));
  const ExprPtr x =
      builder.declare(names_.unique("from_x"), column % integer(w.out_width) * integer(w.stride_x) - integer(w.pad_left) +
                                                   k % integer(w.kernel_width) * integer(w.dilation_x));
  ExprPtr plane = k / integer(window), inside = both(within(y, w.height), within(x, w.width));
  if (!w.is_flat()) {
    const ExprPtr z = builder.declare(names_.unique("from_z"), column / integer(w.out_height * w.out_width) * integer(w.stride_z) -
                                                                   integer(w.pad_front) +
                                                                   plane % integer(w.kernel_depth) * integer(w.dilation_z));
    plane = plane / integer(w.kernel_depth) * integer(w.depth) + z;
    inside = both(within(z, w.depth), inside);
  }
  return {inside, element_at((plane * integer(w.height) + y) * integer(w.width) + x)};
}

ExprPtr ContractionElements::read(Body& body, const GuardedElement& wanted, const ExprPtr& inside) const {
  BodyBuilder builder(body);
  const ExprPtr condition = both(inside, wanted.inside);
  if (!condition) return builder.declare(names_.unique("read"), wanted.value(body));
  const ExprPtr value = builder.declare_variable(names_.unique("read"), real(0, {c_.compute, 1}));
  Body& there = builder.when(condition);
  const ExprPtr found = wanted.value(there);
  BodyBuilder(there).assign(value, found);
  return value;
}

}  // namespace fuselab::codegen
