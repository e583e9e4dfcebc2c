// SPDX-License-Identifier: Apache-2.0
// Operators that see a row's elements by size or one after the other. Each element of the result walks over its row again.
#include <limits>

#include "backends/codegen/elements.h"

namespace fuselab::codegen {
namespace {

// Rows that long are not walked anew for each of their elements.
constexpr std::int64_t kLongestWalkedRow = 4096;

Place along(const Place& place, std::size_t axis, const ExprPtr& index) {
  Place other{place.at, nullptr};
  other.at[axis] = index;
  return other;
}

// 1 where x takes the place of the best so far; of equal ones the first stays, or the last wins. NaN is more than all.
ExprPtr takes_place(const ExprPtr& x, const ExprPtr& best, bool least, bool last) {
  if (x->type == kIndex) return binary(last ? (least ? "<=" : ">=") : (least ? "<" : ">"), x, best);
  return call(std::string("beats") + (least ? "_below" : "") + (last ? "_or_equals" : ""), kIndex, {x, best});
}

// Where along `axis` the most, or the least, lies.
ExprPtr place_of_most(const ElementSite& site, const Place& first, std::size_t axis, bool least, bool last) {
  Elements& elements = site.elements;
  const ExprPtr best = elements.variable(site.body, "best", site.operand(0, along(first, axis, integer(0)), site.body));
  const ExprPtr where = elements.variable(site.body, "where", integer(0));
  elements.loop(site.body, "i", integer(1), integer(site.extents(0)[axis]), [&](Body& inner, const ExprPtr& i) {
    const ExprPtr x = site.operand(0, along(first, axis, i), inner);
    elements.when(inner, takes_place(x, best, least, last), [&](Body& found) {
      BodyBuilder(found).assign(best, x);
      BodyBuilder(found).assign(where, i);
    });
  });
  return where;
}

ExprPtr place_of_best(const ElementSite& site, std::size_t axis) {
  Place first{site.place.at, nullptr};
  if (site.node.attributes.integer("keepdims", 1) == 0) {
    first.at.insert(first.at.begin() + static_cast<std::ptrdiff_t>(axis), integer(0));
  }
  const bool last = site.node.attributes.integer("select_last_index", 0) != 0;
  return place_of_most(site, first, axis, site.node.op == Op::kArgMin, last);
}

ExprPtr running_sum(const ElementSite& site, std::size_t axis) {
  const bool exclusive = site.node.attributes.integer("exclusive", 0) != 0,
             reverse = site.node.attributes.integer("reverse", 0) != 0;
  const bool is_real = is_floating(site.result().dtype);
  const ExprPtr here = site.place.at[axis];
  const ExprPtr sum = site.elements.variable(site.body, "sum", is_real ? real(0, kElementReal) : integer(0));
  const ExprPtr begin = reverse ? here + integer(exclusive ? 1 : 0) : integer(0);
  const ExprPtr end = reverse ? integer(site.extents(0)[axis]) : here + integer(exclusive ? 0 : 1);
  const auto add = [&](Body& inner, const ExprPtr& i) {
    const ExprPtr x = site.operand(0, along(site.place, axis, i), inner);
    BodyBuilder(inner).assign(sum, is_real ? sum + x : call("whole_add", kIndex, {sum, x}));
  };
  site.elements.loop(site.body, "i", begin, end, add, site.extents(0)[axis]);
  const DType dtype = site.result().dtype;
  return is_real || bits_of(dtype) == 64 ? sum : call("whole_to_" + std::string(name_of(dtype)), kIndex, {sum});
}

ExprPtr softmax(const ElementSite& site, std::size_t axis) {
  Elements& elements = site.elements;
  const ExprPtr power_sum = elements.variable(site.body, "power_sum", real(0, kElementReal));
  const ExprPtr down = down_from_most(site, site.place, axis, power_sum);
  if (site.node.op == Op::kLogSoftmax) return down - call("log", kElementReal, {power_sum});
  return call("exp", kElementReal, {down}) / power_sum;
}

}  // namespace

ExprPtr down_from_most(const ElementSite& site, const Place& place, std::size_t axis, const ExprPtr& power_sum) {
  Elements& elements = site.elements;
  const ExprPtr extent = integer(site.extents(0)[axis]);
  const ExprPtr most = elements.variable(site.body, "most", real(-std::numeric_limits<double>::infinity(), kElementReal));
  elements.loop(site.body, "i", integer(0), extent, [&](Body& inner, const ExprPtr& i) {
    const ExprPtr x = site.operand(0, along(place, axis, i), inner);
    BodyBuilder(inner).assign(most, call("max", kElementReal, {most, x}));
  });
  elements.loop(site.body, "i", integer(0), extent, [&](Body& inner, const ExprPtr& i) {
    const ExprPtr x = site.operand(0, along(place, axis, i), inner);
    BodyBuilder(inner).assign(power_sum, power_sum + call("exp", kElementReal, {x - most}));
  });
  return elements.keep(site.body, "down", site.operand(0, place, site.body) - most);
}

ExprPtr rank_element(const ElementSite& site) {
  const Op op = site.node.op;
  const bool by_place = op == Op::kArgMax || op == Op::kArgMin;
  const bool by_element = op == Op::kCumSum || op == Op::kHardmax || op == Op::kSoftmax || op == Op::kLogSoftmax;
  if (!by_place && !by_element) return nullptr;
  if (site.type(0).dtype == DType::kU64) return site.elements.refuse(site.node, "of u64 is not generated yet");
  const auto extents = site.extents(0);
  if (extents.empty()) return site.elements.refuse(site.node, "of a scalar is not generated yet");
  const std::int64_t otherwise = by_place || op == Op::kCumSum ? 0 : -1;
  const std::size_t axis = axis_from_front(site.node.attributes.integer("axis", otherwise), extents.size());
  if (by_place) return place_of_best(site, axis);
  if (extents[axis] > kLongestWalkedRow) {
    return site.elements.refuse(site.node, "walks over its row for each element, and the row has " + std::to_string(extents[axis]));
  }
  if (op == Op::kCumSum) return running_sum(site, axis);
  if (op != Op::kHardmax) return softmax(site, axis);
  const ExprPtr is_most = binary("==", place_of_most(site, {site.place.at, nullptr}, axis, false, false), site.place.at[axis]);
  return call("real", kElementReal, {is_most});
}

}  // namespace fuselab::codegen
