// SPDX-License-Identifier: Apache-2.0
// Operators that see a row's elements by size or one after the other. Each element of the result walks over its row again, but
// where the kernel goes along rows.
#include <limits>

#include "backends/codegen/scalar/elements.h"

namespace fuselab::codegen {
namespace {

// Rows that long are not walked anew for each of their elements.
constexpr std::int64_t kLongestWalkedRow = 4096;

Place along(const Place& place, std::size_t axis, const ExprPtr& index) {
  Place other{place.at, nullptr};
  other.at[axis] = index;
  return other;
}

// Returns where along `axis` the most, or the least, lies.
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

ExprPtr added(const ElementSite& site, const ExprPtr& sum, const ExprPtr& x) {
  return is_floating(site.result().dtype) ? sum + x : call("whole_add", kIndex, {sum, x});
}

// Returns the sum of the elements up to this one; where the kernel goes along the row, the sum of this one and what it met before.
ExprPtr running_sum(const ElementSite& site, std::size_t axis) {
  const bool exclusive = site.node.attributes.integer("exclusive", 0) != 0, reverse = goes_backwards(site.node);
  const bool is_real = is_floating(site.result().dtype);
  ExprPtr sum;
  if (const RowState* row = site.elements.row_of(site.node)) {
    const ExprPtr before = site.elements.copy(site.body, "before", row->running);
    BodyBuilder(site.body).assign(row->running, added(site, row->running, site.operand(0, site.place, site.body)));
    sum = exclusive ? before : row->running;
  } else {
    const ExprPtr here = site.place.at[axis];
    sum = site.elements.variable(site.body, "sum", is_real ? real(0, kElementReal) : integer(0));
    const ExprPtr begin = reverse ? here + integer(exclusive ? 1 : 0) : integer(0);
    const ExprPtr end = reverse ? integer(site.extents(0)[axis]) : here + integer(exclusive ? 0 : 1);
    const auto add = [&](Body& inner, const ExprPtr& i) {
      BodyBuilder(inner).assign(sum, added(site, sum, site.operand(0, along(site.place, axis, i), inner)));
    };
    site.elements.loop(site.body, "i", begin, end, add, site.extents(0)[axis]);
  }
  const DType dtype = site.result().dtype;
  return is_real || bits_of(dtype) == 64 ? sum : call("whole_to_" + std::string(name_of(dtype)), kIndex, {sum});
}

// The most of a row, and what its powers of e add up to.
struct Powers {
  ExprPtr most, sum;
};

Powers powers_of(const ElementSite& site, const Place& place, std::size_t axis) {
  Elements& elements = site.elements;
  const ExprPtr extent = integer(site.extents(0)[axis]);
  const ExprPtr sum = elements.variable(site.body, "power_sum", real(0, kElementReal));
  const ExprPtr most = elements.variable(site.body, "most", real(-std::numeric_limits<double>::infinity(), kElementReal));
  elements.loop(site.body, "i", integer(0), extent, [&](Body& inner, const ExprPtr& i) {
    const ExprPtr x = site.operand(0, along(place, axis, i), inner);
    BodyBuilder(inner).assign(most, call("max", kElementReal, {most, x}));
  });
  elements.loop(site.body, "i", integer(0), extent, [&](Body& inner, const ExprPtr& i) {
    const ExprPtr x = site.operand(0, along(place, axis, i), inner);
    BodyBuilder(inner).assign(sum, sum + call("exp", kElementReal, {x - most}));
  });
  return {most, sum};
}

ExprPtr softmax(const ElementSite& site, std::size_t axis) {
  const RowState* const row = site.elements.row_of(site.node);
  const Powers powers = row != nullptr ? Powers{row->most, row->power_sum} : powers_of(site, site.place, axis);
  const ExprPtr down = site.elements.keep(site.body, "down", site.operand(0, site.place, site.body) - powers.most);
  if (site.node.op == Op::kLogSoftmax) return down - call("log", kElementReal, {powers.sum});
  return call("exp", kElementReal, {down}) / powers.sum;
}

ExprPtr hardmax(const ElementSite& site, std::size_t axis) {
  const RowState* const row = site.elements.row_of(site.node);
  const ExprPtr most = row != nullptr ? row->most : place_of_most(site, {site.place.at, nullptr}, axis, false, false);
  return call("real", kElementReal, {binary("==", most, site.place.at[axis])});
}

}  // namespace

ExprPtr takes_place(const ExprPtr& x, const ExprPtr& best, bool least, bool last) {
  if (x->type == kIndex) return binary(last ? (least ? "<=" : ">=") : (least ? "<" : ">"), x, best);
  return call(std::string("beats") + (least ? "_below" : "") + (last ? "_or_equals" : ""), kIndex, {x, best});
}

ExprPtr log_of_softmax(const ElementSite& site, const Place& place, std::size_t axis) {
  const Powers powers = powers_of(site, place, axis);
  const ExprPtr down = site.elements.keep(site.body, "down", site.operand(0, place, site.body) - powers.most);
  return down - call("log", kElementReal, {powers.sum});
}

std::optional<std::size_t> shared_axis(const Graph& graph, const Node& node) {
  const bool shares = node.op == Op::kCumSum || node.op == Op::kHardmax || node.op == Op::kSoftmax || node.op == Op::kLogSoftmax;
  const std::size_t rank = graph.type(node.inputs.at(0)).shape.size();
  if (!shares || rank == 0) return std::nullopt;
  return axis_from_front(node.attributes.integer("axis", node.op == Op::kCumSum ? 0 : -1), rank);
}

bool goes_backwards(const Node& node) {
  return node.op == Op::kCumSum && node.attributes.integer("reverse", 0) != 0;
}

RowState begin_row(const ElementSite& site, std::size_t axis) {
  const Op op = site.node.op;
  RowState row;
  row.node = &site.node;
  if (op == Op::kCumSum) {
    row.running = site.elements.variable(site.body, "sum", is_floating(site.result().dtype) ? real(0, kElementReal) : integer(0));
  } else if (op == Op::kHardmax) {
    row.most = place_of_most(site, {site.place.at, nullptr}, axis, false, false);
  } else {
    const Powers powers = powers_of(site, site.place, axis);
    row.most = powers.most;
    row.power_sum = powers.sum;
  }
  return row;
}

ExprPtr rank_element(const ElementSite& site) {
  const Op op = site.node.op;
  const bool by_place = op == Op::kArgMax || op == Op::kArgMin;
  const bool by_element = op == Op::kCumSum || op == Op::kHardmax || op == Op::kSoftmax || op == Op::kLogSoftmax;
  if (!by_place && !by_element) return nullptr;
  if (site.type(0).dtype == DType::kU64) return site.elements.refuse(site.node, "of u64 is not generated yet");
  const auto extents = site.extents(0);
  if (extents.empty()) return site.elements.refuse(site.node, "of a scalar is not generated yet");
  if (by_place) return place_of_best(site, axis_from_front(site.node.attributes.integer("axis", 0), extents.size()));
  const std::size_t axis = shared_axis(site.elements.graph(), site.node).value();
  if (extents[axis] > kLongestWalkedRow && site.elements.row_of(site.node) == nullptr) {
    return site.elements.refuse(site.node, "walks over its row for each element, and the row has " + std::to_string(extents[axis]));
  }
  if (op == Op::kCumSum) return running_sum(site, axis);
  return op == Op::kHardmax ? hardmax(site, axis) : softmax(site, axis);
}

}  // namespace fuselab::codegen
