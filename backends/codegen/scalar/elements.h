// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "backends/codegen/ir/ir.h"
#include "backends/codegen/ir/names.h"
#include "backends/codegen/rows/row_builder.h"
#include "core/graph/graph.h"
#include "core/graph/node_axes.h"

namespace fuselab::codegen {

// The types in which numbers are held while one element is computed: reals in double, whole numbers and bools as a C integer of 64
// bits.
inline constexpr IrType kElementReal{DType::kF64, 1};
inline IrType element_type(DType dtype) {
  return is_floating(dtype) ? kElementReal : kIndex;
}

// An element of a tensor: one index per axis, and its flat position in dense order where that is known.
struct Place {
  std::vector<ExprPtr> at;
  ExprPtr flat = {};
};

// The values that a kernel which walks along an axis, element by element, keeps for all elements of the row.
struct RowState {
  const Node* node = nullptr;  // the operator along whose axis the kernel walks
  ExprPtr most;                // the largest: for Softmax and LogSoftmax its value, for Hardmax its place
  ExprPtr power_sum;           // Softmax, LogSoftmax
  ExprPtr running;             // CumSum: the sum of the elements visited so far
};

// Computes single elements from the end: an element of a result requests the elements that it is made of. The meaning of each
// operator is in elements_*.cpp, one function per kind.
class Elements {
 public:
  // All references must outlive this.
  Elements(const Graph& graph, const std::vector<KernelParameter>& parameters, Names& names)
      : graph_(graph), parameters_(parameters), names_(names) {}

  const Graph& graph() const { return graph_; }
  // Returns a value's element as a variable or a constant; the statements that compute it are appended to the body.
  ExprPtr value(ValueId value, const Place& place, Body& body);

  ExprPtr keep(Body& body, const std::string& wish, const ExprPtr& expression);
  ExprPtr variable(Body& body, const std::string& wish, const ExprPtr& first);
  // Returns a constant with the present value of a variable.
  ExprPtr copy(Body& body, const std::string& wish, const ExprPtr& variable);
  // These write bodies of their own: what they declare is forgotten after them.
  template <typename Write>
  void when(Body& body, const ExprPtr& condition, Write write) {
    enclose([&] { write(BodyBuilder(body).when(condition)); });
  }
  // `most` is the largest number of turns of a loop whose end is only known when it runs.
  template <typename Write>
  void loop(Body& body, const std::string& wish, const ExprPtr& begin, const ExprPtr& end, Write write, std::int64_t most = 1) {
    const std::string name = names_.unique(wish);
    enclose([&] {
      turns_ *= static_cast<double>(std::max<std::int64_t>(1, constant_or(end, most) - constant_or(begin, 0)));
      most_turns_ = std::max(most_turns_, turns_);
      Body& inner = BodyBuilder(body).loop(LoopKind::kSerial, name, begin, end, integer(1));
      write(inner, codegen::variable(name, kIndex));
    });
  }
  // Loops over these axes of a place.
  template <typename Write>
  void over(Body& body, const std::vector<std::int64_t>& extents, const std::vector<std::size_t>& axes, Place place, Write write) {
    over_from(body, extents, axes, 0, place, write);
  }

  // Sets the row that the kernel walks along; without it elements are computed one by one in any order.
  void go_along(RowState row) { row_ = std::move(row); }
  const RowState* row_of(const Node& node) const { return row_ && row_->node == &node ? &*row_ : nullptr; }

  // Refuses a node that cannot be written. The first reason is kept, and everything written is discarded.
  ExprPtr refuse(const Node& node, const std::string& why);
  const std::string& refusal() const { return refusal_; }
  // Returns the turns of the innermost loops for one element, as far as they are known.
  double most_turns() const { return most_turns_; }

 private:
  template <typename Write>
  void enclose(Write write) {
    const auto outside = known_;
    const double turns = turns_;
    write();
    known_ = outside;
    turns_ = turns;
  }
  template <typename Write>
  void over_from(Body& body, const std::vector<std::int64_t>& extents, const std::vector<std::size_t>& axes, std::size_t next,
                 Place& place, Write& write) {
    if (next == axes.size()) {
      write(body, place);
      return;
    }
    place.flat = nullptr;
    loop(body, "i", integer(0), integer(extents[axes[next]]), [&](Body& inner, const ExprPtr& index) {
      place.at[axes[next]] = index;
      over_from(inner, extents, axes, next + 1, place, write);
    });
  }
  ExprPtr leaf(ValueId value, const Place& place, Body& body);

  const Graph& graph_;
  const std::vector<KernelParameter>& parameters_;
  Names& names_;
  std::map<std::pair<ValueId, std::vector<ExprPtr>>, ExprPtr> known_;
  std::optional<RowState> row_;
  std::string refusal_;
  int asked_ = 0;
  double turns_ = 1, most_turns_ = 1;
};

// One operator at one element of one of its results.
struct ElementSite {
  Elements& elements;
  const Node& node;
  std::size_t output;
  const Place& place;
  Body& body;

  std::vector<std::int64_t> extents(std::size_t operand) const { return extents_of(type(operand).shape); }
  const TensorType& type(std::size_t operand) const { return elements.graph().type(node.inputs.at(operand)); }
  const TensorType& result() const { return elements.graph().type(node.outputs.at(output)); }
  ExprPtr operand(std::size_t index, const Place& at, Body& into) const { return elements.value(node.inputs.at(index), at, into); }
  // Returns the operand's element that broadcasting brings to this place.
  ExprPtr operand(std::size_t index) const;
};

// Convert between the flat position of an element and its row-major indices.
Place place_of(const ExprPtr& flat, const std::vector<std::int64_t>& extents);
ExprPtr flat_of(const Place& place, const std::vector<std::int64_t>& extents);
// Return the element at this position of a kernel's argument, in the types used here, and its store.
ExprPtr stored_element(const KernelParameter& parameter, const ExprPtr& at);
void store_element(Body& body, const KernelParameter& parameter, const ExprPtr& at, const ExprPtr& value);
// Converts a number from memory to an index of an axis: negative ones count from its end, and those out of range are counted and
// clamped.
ExprPtr index_into(const ExprPtr& number, std::int64_t extent);
// Does the same where negative ones are out of range.
ExprPtr place_along(const ExprPtr& number, std::int64_t extent);

// Returns what an update by a ScatterElements or ScatterND makes of an old value: by its reduction.
ExprPtr updated(const Node& node, const ExprPtr& old, const ExprPtr& by);
// Returns the indices along the data's axes, from `batch` on, that a tuple of operand 1 names.
std::vector<ExprPtr> named_by_tuple(const ElementSite& site, std::vector<ExprPtr> tuple, std::size_t batch, Body& body);

// Returns 1 where x replaces the best so far; of equal ones the first stays, or with `last` the last wins. NaN counts as larger, or
// with `least` as smaller, than all numbers.
ExprPtr takes_place(const ExprPtr& x, const ExprPtr& best, bool least, bool last);

// Returns the LogSoftmax along `axis` of operand 0, at a place.
ExprPtr log_of_softmax(const ElementSite& site, const Place& place, std::size_t axis);

// Returns the axis along which the operator's elements share their row's work: for Softmax, LogSoftmax, Hardmax and CumSum; nothing
// for others.
std::optional<std::size_t> shared_axis(const Graph& graph, const Node& node);
// Appends the statements that all elements of a row share. `site` is the operator at any element of the row.
RowState begin_row(const ElementSite& site, std::size_t axis);
// Returns true when the kernel walks along the row from its end.
bool goes_backwards(const Node& node);

// Each returns an element of the operators of one kind, or null for an operator of another kind.
ExprPtr elementwise_element(const ElementSite& site);
ExprPtr reduction_element(const ElementSite& site);
ExprPtr rank_element(const ElementSite& site);
ExprPtr loss_element(const ElementSite& site);
ExprPtr movement_element(const ElementSite& site);
ExprPtr rotary_element(const ElementSite& site);
ExprPtr indexed_element(const ElementSite& site);
ExprPtr window_element(const ElementSite& site);
ExprPtr product_element(const ElementSite& site);

}  // namespace fuselab::codegen
