// SPDX-License-Identifier: Apache-2.0
#include "backends/codegen/scalar/elements_top.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "backends/codegen/rows/row_address.h"
#include "core/cost/memory_of.h"

namespace fuselab::codegen {
namespace {

// An element of the row as the heap has it: its place, or the value itself where no places are asked for.
struct Held {
  ExprPtr content, value;
};

class TopRow {
 public:
  TopRow(Elements& elements, const Function& function, const TopRows& top, const ExprPtr& row, Body& body)
      : elements_(elements), function_(function), top_(top), by_place_(top.holds_places[top.heap]) {
    largest_ = top.node->attributes.integer("largest", 1) != 0;
    levels_ = static_cast<std::int64_t>(std::bit_width(static_cast<std::uint64_t>(top.kept()))) - 1;
    std::vector<std::int64_t> rows = top.out;
    rows[top.axis] = 1;
    start_ = Place{place_of(row, rows).at, nullptr};
    for (ExprPtr& at : start_.at) at = elements.keep(body, "outer", at);
    base_ = elements.keep(body, "base", flat_of(start_, top.out));
    for (std::size_t i = top.axis + 1; i < top.out.size(); ++i) stride_ *= top.out[i];
  }

  void write(Body& body) const {
    fill(body);
    look_through(body);
    sort(body);
    give_out(body);
  }

 private:
  const KernelParameter& parameter_of(std::size_t output) const {
    return function_.parameters[elements_.graph().inputs().size() + output];
  }
  ExprPtr address(const ExprPtr& rank) const { return base_ + rank * integer(stride_); }

  Held element(Body& body, const ExprPtr& place) const {
    Place at{start_.at, nullptr};
    at.at[top_.axis] = place;
    const ExprPtr value = elements_.value(top_.node->inputs.front(), at, body);
    return {by_place_ ? place : value, value};
  }
  ExprPtr content(Body& body, const ExprPtr& slot) const {
    return elements_.keep(body, "held", stored_element(parameter_of(top_.heap), address(slot)));
  }
  Held held(Body& body, const ExprPtr& slot) const {
    const ExprPtr found = content(body, slot);
    return by_place_ ? element(body, found) : Held{found, found};
  }
  void put(Body& body, const ExprPtr& slot, const ExprPtr& content) const {
    store_element(body, parameter_of(top_.heap), address(slot), content);
  }

  // Returns whether a stands before b in the result. With `or_equal` it does so if both are equal, too.
  ExprPtr before(const ExprPtr& a, const ExprPtr& b, bool or_equal) const {
    return largest_ ? takes_place(a, b, false, or_equal) : takes_place(b, a, false, or_equal);
  }
  ExprPtr before(const Held& a, const Held& b) const {
    const ExprPtr strictly = before(a.value, b.value, false);
    if (!by_place_) return strictly;
    const ExprPtr is_left = binary("<", a.content, b.content);
    return call("whole_choose", kIndex, {is_left, before(a.value, b.value, true), strictly});
  }

  void sift(Body& body, const ExprPtr& from, const ExprPtr& size, const Held& item) const;
  void fill(Body& body) const;
  void look_through(Body& body) const;
  void sort(Body& body) const;
  void give_out(Body& body) const;

  Elements& elements_;
  const Function& function_;
  const TopRows& top_;
  bool by_place_, largest_ = true;
  std::int64_t levels_ = 0;  // of the heap, below its root
  std::int64_t stride_ = 1;
  Place start_;
  ExprPtr base_;
};

// Brings the item to where it belongs on the way down from a slot that is free. A turn after that changes nothing.
void TopRow::sift(Body& body, const ExprPtr& from, const ExprPtr& size, const Held& item) const {
  if (levels_ == 0) return put(body, from, item.content);
  const ExprPtr hole = elements_.variable(body, "hole", from);
  elements_.loop(body, "level", integer(0), integer(levels_), [&](Body& level, const ExprPtr&) {
    const ExprPtr left = elements_.keep(level, "left", integer(2) * hole + integer(1));
    elements_.when(level, binary("<", left, size), [&](Body& inside) {
      const ExprPtr right = elements_.keep(inside, "right", left + integer(1));
      const ExprPtr later = elements_.variable(inside, "later", left);
      elements_.when(inside, binary("<", right, size), [&](Body& both) {
        const Held on_left = held(both, left), on_right = held(both, right);
        elements_.when(both, before(on_left, on_right), [&](Body& found) { BodyBuilder(found).assign(later, right); });
      });
      const ExprPtr child = elements_.copy(inside, "child", later);
      const Held below = held(inside, child);
      elements_.when(inside, before(item, below), [&](Body& found) {
        put(found, hole, below.content);
        BodyBuilder(found).assign(hole, child);
      });
    });
  });
  put(body, hole, item.content);
}

// The row's first elements, made a heap.
void TopRow::fill(Body& body) const {
  const std::int64_t kept = top_.kept();
  elements_.loop(body, "slot", integer(0), integer(kept),
                 [&](Body& each, const ExprPtr& slot) { put(each, slot, by_place_ ? slot : element(each, slot).value); });
  if (kept < 2) return;
  elements_.loop(body, "i", integer(0), integer(kept / 2), [&](Body& each, const ExprPtr& i) {
    const ExprPtr slot = elements_.keep(each, "slot", integer(kept / 2 - 1) - i);
    sift(each, slot, integer(kept), held(each, slot));
  });
}

// Each element behind them takes the place of the last one kept, where it stands before it. Places go up: of equal ones none does.
void TopRow::look_through(Body& body) const {
  if (top_.length() == top_.kept()) return;
  const ExprPtr last = elements_.variable(body, "last", held(body, integer(0)).value);
  elements_.loop(body, "i", integer(top_.kept()), integer(top_.length()), [&](Body& each, const ExprPtr& i) {
    const Held item = element(each, i);
    elements_.when(each, before(item.value, last, false), [&](Body& found) {
      sift(found, integer(0), integer(top_.kept()), item);
      BodyBuilder(found).assign(last, held(found, integer(0)).value);
    });
  });
}

// The root, the last of what is left, goes behind the others.
void TopRow::sort(Body& body) const {
  const std::int64_t kept = top_.kept();
  if (kept < 2) return;
  elements_.loop(body, "i", integer(0), integer(kept - 1), [&](Body& each, const ExprPtr& i) {
    const ExprPtr left = elements_.keep(each, "rest", integer(kept - 1) - i);
    const Held item = held(each, left);
    put(each, left, content(each, integer(0)));
    sift(each, integer(0), left, item);
  });
}

void TopRow::give_out(Body& body) const {
  if (top_.holds_places.size() == 1) return;
  elements_.loop(body, "rank", integer(0), integer(top_.kept()), [&](Body& each, const ExprPtr& rank) {
    const Held item = held(each, rank);
    for (std::size_t i = 0; i < top_.holds_places.size(); ++i) {
      if (i != top_.heap) store_element(each, parameter_of(i), address(rank), top_.holds_places[i] ? item.content : item.value);
    }
  });
}

}  // namespace

std::int64_t TopRows::rows() const {
  std::int64_t rows = 1;
  for (std::size_t i = 0; i < out.size(); ++i) rows *= i == axis ? 1 : out[i];
  return rows;
}

Result<std::optional<TopRows>> top_rows(const Graph& graph) {
  const auto nodes = graph.nodes();
  const auto found = std::find_if(nodes.begin(), nodes.end(), [](const Node& node) { return node.op == Op::kTopK; });
  if (found == nodes.end()) return std::optional<TopRows>();
  TopRows top;
  top.node = &*found;
  const TensorType& type = graph.type(top.node->inputs.front());
  if (type.dtype == DType::kU64) return unsupported(*top.node, "of u64 is not generated yet");
  top.in = extents_of(type.shape);
  top.out = extents_of(graph.type(top.node->outputs.front()).shape);
  top.axis = axis_from_front(top.node->attributes.integer("axis", -1), top.in.size());
  for (const ValueId output : graph.outputs()) {
    const ValueId result = memory_of(graph, output);
    const bool values = result == top.node->outputs[0], places = result == top.node->outputs[1];
    if (!values && !places) return unsupported(*top.node, "something other than views behind or beside it is not generated");
    top.holds_places.push_back(places);
  }
  const auto places = std::find(top.holds_places.begin(), top.holds_places.end(), true);
  if (places != top.holds_places.end()) top.heap = static_cast<std::size_t>(places - top.holds_places.begin());
  return std::optional(std::move(top));
}

void write_top_row(Elements& elements, const Function& function, const TopRows& top, const ExprPtr& row, Body& body) {
  TopRow(elements, function, top, row, body).write(body);
}

}  // namespace fuselab::codegen
