// SPDX-License-Identifier: Apache-2.0
// Matrix products of reals and of whole numbers, one element of the result at a time.
#include "backends/codegen/scalar/elements.h"

namespace fuselab::codegen {
namespace {

using Extents = std::vector<std::int64_t>;

ExprPtr times_and_add(const ExprPtr& total, const ExprPtr& a, const ExprPtr& b) {
  if (total->type != kIndex) return total + a * b;
  return call("whole_add", kIndex, {total, call("whole_mul", kIndex, {a, b})});
}

// The sum over `depth` of what two places give for each step.
template <typename Left, typename Right>
ExprPtr summed(const ElementSite& site, std::int64_t depth, Left left, Right right) {
  const bool is_real = is_floating(site.result().dtype);
  const ExprPtr total = site.elements.variable(site.body, "total", is_real ? real(0, kElementReal) : integer(0));
  site.elements.loop(site.body, "step", integer(0), integer(depth), [&](Body& inner, const ExprPtr& step) {
    const ExprPtr a = site.operand(0, left(step), inner), b = site.operand(1, right(step), inner);
    BodyBuilder(inner).assign(total, times_and_add(total, a, b));
  });
  return total;
}

// The batch axes of an operand as broadcasting brings them to the result's.
std::vector<ExprPtr> batch_of(const ElementSite& site, const Extents& extents, std::size_t result_batch) {
  std::vector<ExprPtr> batch;
  const std::size_t own = extents.size() < 2 ? 0 : extents.size() - 2;
  for (std::size_t i = 0; i < own; ++i) {
    batch.push_back(extents[i] == 1 ? integer(0) : site.place.at[result_batch - own + i]);
  }
  return batch;
}

ExprPtr matrix_product(const ElementSite& site) {
  const Extents a = site.extents(0), b = site.extents(1);
  const std::size_t batch = site.place.at.size() - (a.size() > 1 ? 1 : 0) - (b.size() > 1 ? 1 : 0);
  const auto left = [&](const ExprPtr& step) {
    Place place{batch_of(site, a, batch), nullptr};
    if (a.size() > 1) place.at.push_back(site.place.at[batch]);
    place.at.push_back(step);
    return place;
  };
  const auto right = [&](const ExprPtr& step) {
    Place place{batch_of(site, b, batch), nullptr};
    place.at.push_back(step);
    if (b.size() > 1) place.at.push_back(site.place.at.back());
    return place;
  };
  return summed(site, a.back(), left, right);
}

ExprPtr general_product(const ElementSite& site) {
  const Attributes& attributes = site.node.attributes;
  const double alpha = attributes.real("alpha", 1), beta = attributes.real("beta", 1);
  const bool is_real = is_floating(site.result().dtype);
  if (!is_real && (alpha != 1 || beta != 1)) return site.elements.refuse(site.node, "whole numbers are not scaled");
  const bool turns_a = attributes.integer("transA", 0) != 0, turns_b = attributes.integer("transB", 0) != 0;
  const ExprPtr row = site.place.at[0], column = site.place.at[1];
  const auto pair = [](bool turns, const ExprPtr& x, const ExprPtr& y) {
    return Place{turns ? std::vector<ExprPtr>{y, x} : std::vector<ExprPtr>{x, y}, nullptr};
  };
  const ExprPtr total = summed(
      site, site.extents(0)[turns_a ? 0 : 1], [&](const ExprPtr& step) { return pair(turns_a, row, step); },
      [&](const ExprPtr& step) { return pair(turns_b, step, column); });
  const ExprPtr scaled = is_real ? total * real(alpha, kElementReal) : total;
  if (site.node.inputs.size() < 3) return scaled;
  if (!is_real) return call("whole_add", kIndex, {scaled, site.operand(2)});
  return scaled + site.operand(2) * real(beta, kElementReal);
}

}  // namespace

ExprPtr product_element(const ElementSite& site) {
  if (site.node.op != Op::kMatMul && site.node.op != Op::kGemm) return nullptr;
  const DType dtype = site.result().dtype;
  const ExprPtr product = site.node.op == Op::kMatMul ? matrix_product(site) : general_product(site);
  if (is_floating(dtype) || bits_of(dtype) == 64) return product;
  return call("whole_to_" + std::string(name_of(dtype)), kIndex, {product});
}

}  // namespace fuselab::codegen
