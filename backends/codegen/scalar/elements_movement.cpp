// SPDX-License-Identifier: Apache-2.0
// Operators that move elements: which one of an operand comes to a place.
#include <algorithm>

#include "backends/codegen/scalar/elements.h"

namespace fuselab::codegen {
namespace {

using Extents = std::vector<std::int64_t>;

ExprPtr regrouped(const ElementSite& site) {
  const ExprPtr flat = flat_of(site.place, extents_of(site.result().shape));
  return site.operand(0, place_of(flat, site.extents(0)), site.body);
}

ExprPtr transposed(const ElementSite& site) {
  const Extents order = permutation_of(site.elements.graph(), site.node);
  Place from{std::vector<ExprPtr>(order.size()), nullptr};
  for (std::size_t i = 0; i < order.size(); ++i) from.at[static_cast<std::size_t>(order[i])] = site.place.at[i];
  return site.operand(0, from, site.body);
}

ExprPtr sliced(const ElementSite& site) {
  Place from{site.place.at, nullptr};
  for (const SlicedAxis& each : sliced_axes(site.elements.graph(), site.node))
    from.at[each.axis] = integer(each.start) + site.place.at[each.axis] * integer(each.step);
  return site.operand(0, from, site.body);
}

ExprPtr split(const ElementSite& site) {
  const std::size_t axis = axis_from_front(site.node.attributes.integer("axis", 0), site.extents(0).size());
  std::int64_t before = 0;
  for (std::size_t i = 0; i < site.output; ++i) before += extents_of(site.elements.graph().type(site.node.outputs[i]).shape)[axis];
  Place from{site.place.at, nullptr};
  from.at[axis] = from.at[axis] + integer(before);
  return site.operand(0, from, site.body);
}

ExprPtr nothing_of(DType dtype, double value = 0) {
  return is_floating(dtype) ? real(value, kElementReal) : integer(static_cast<std::int64_t>(value));
}

ExprPtr concatenated(const ElementSite& site) {
  const std::size_t axis = axis_from_front(site.node.attributes.integer("axis", 0), site.extents(0).size());
  const ExprPtr found = site.elements.variable(site.body, "piece", nothing_of(site.result().dtype));
  std::int64_t begin = 0;
  for (std::size_t i = 0; i < site.node.inputs.size(); ++i) {
    const std::int64_t end = begin + site.extents(i)[axis];
    const ExprPtr here = site.place.at[axis];
    const ExprPtr inside = binary("&&", binary(">=", here, integer(begin)), binary("<", here, integer(end)));
    site.elements.when(site.body, inside, [&](Body& inner) {
      Place from{site.place.at, nullptr};
      from.at[axis] = here - integer(begin);
      BodyBuilder(inner).assign(found, site.operand(i, from, inner));
    });
    begin = end;
  }
  return found;
}

// Returns the operand's element; `value` takes its place where the operand has no such element.
ExprPtr kept_where(const ElementSite& site, const ExprPtr& condition, const Place& from, double value) {
  const ExprPtr found = site.elements.variable(site.body, "kept", nothing_of(site.result().dtype, value));
  site.elements.when(site.body, condition, [&](Body& inner) { BodyBuilder(inner).assign(found, site.operand(0, from, inner)); });
  return found;
}

ExprPtr triangle(const ElementSite& site) {
  const std::size_t rank = site.extents(0).size();
  const ExprPtr right = site.place.at[rank - 1] - site.place.at[rank - 2];
  const ExprPtr diagonal = integer(site.node.attributes.integer("k", 0));
  const bool upper = site.node.attributes.integer("upper", 1) != 0;
  return kept_where(site, binary(upper ? ">=" : "<=", right, diagonal), site.place, 0);
}

ExprPtr padded(const ElementSite& site) {
  const Extents in = site.extents(0);
  const Extents pads = site.node.attributes.integers("pads");
  const std::string mode = site.node.attributes.text("mode", "constant");
  Place from{{}, nullptr};
  ExprPtr inside;
  for (std::size_t i = 0; i < in.size(); ++i) {
    const ExprPtr at = site.place.at[i] - integer(pads[i]);
    if (mode != "constant") {
      from.at.push_back(call("whole_" + mode, kIndex, {at, integer(in[i])}));
      continue;
    }
    from.at.push_back(at);
    const ExprPtr here = binary("&&", binary(">=", at, integer(0)), binary("<", at, integer(in[i])));
    inside = inside ? binary("&&", inside, here) : here;
  }
  if (!inside) return site.operand(0, from, site.body);
  return kept_where(site, inside, from, site.node.attributes.real("value", 0));
}

}  // namespace

ExprPtr movement_element(const ElementSite& site) {
  switch (site.node.op) {
    case Op::kReshape:
    case Op::kFlatten:
    case Op::kUnsqueeze:
    case Op::kSqueeze: return regrouped(site);
    case Op::kTranspose: return transposed(site);
    case Op::kExpand: return site.operand(0);
    case Op::kSlice: return sliced(site);
    case Op::kSplit: return split(site);
    case Op::kConcat: return concatenated(site);
    case Op::kTrilu: return triangle(site);
    case Op::kPad: return padded(site);
    default: return nullptr;
  }
}

}  // namespace fuselab::codegen
