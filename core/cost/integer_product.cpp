// SPDX-License-Identifier: Apache-2.0
#include "core/cost/integer_product.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace fuselab {
namespace {

bool is_byte(DType dtype) {
  return dtype == DType::kI8 || dtype == DType::kU8;
}

const Node* maker_of(const Graph& graph, ValueId value) {
  const auto& producer = graph.value(value).producer;
  return producer ? &graph.node(*producer) : nullptr;
}

// Reads an operand back to its 8-bit numbers and notes the operators on the way.
class Reading {
 public:
  Reading(const Graph& graph, std::vector<NodeId>& makers) : graph_(graph), makers_(makers) {}

  // `spread`: the shape of a zero point for each row, or each column.
  std::optional<ByteOperand> operand(ValueId value, const Shape& spread) {
    const Node* const maker = maker_of(graph_, value);
    if (maker == nullptr) return std::nullopt;
    ByteOperand found;
    ValueId wide = value;
    if (maker->op == Op::kSub) {
      wide = maker->inputs[0];
      const bool keeps_shape = graph_.type(value).shape == graph_.type(wide).shape;
      if (!keeps_shape || !zero_point(maker->inputs[1], spread, found)) return std::nullopt;
      makers_.push_back(*graph_.value(value).producer);
    }
    const auto bytes = widened(wide);
    if (!bytes) return std::nullopt;
    found.bytes = *bytes;
    found.dtype = graph_.type(*bytes).dtype;
    return found;
  }

 private:
  // Returns what a Cast to i32 reads, where that is of 8 bits.
  std::optional<ValueId> widened(ValueId value) {
    const Node* const cast = maker_of(graph_, value);
    if (cast == nullptr || cast->op != Op::kCast || graph_.type(value).dtype != DType::kI32) return std::nullopt;
    if (!is_byte(graph_.type(cast->inputs.front()).dtype)) return std::nullopt;
    makers_.push_back(*graph_.value(value).producer);
    return cast->inputs.front();
  }

  bool zero_point(ValueId value, const Shape& spread, ByteOperand& found) {
    const Shape& shape = graph_.type(value).shape;
    found.one_zero = std::all_of(shape.begin(), shape.end(), [](const Dim& dim) { return dim == Dim(1); });
    const bool of_columns = shape.size() == 1 && spread.front() == Dim(1) && shape.front() == spread.back();
    if (!found.one_zero && shape != spread && !of_columns) return false;
    const Node* maker = maker_of(graph_, value);
    for (; maker != nullptr && is_view(maker->op); maker = maker_of(graph_, value)) {
      makers_.push_back(*graph_.value(value).producer);
      value = maker->inputs.front();
    }
    if (maker != nullptr && maker->op == Op::kConstant) {
      const double number = maker->attributes.real("value", 0);
      constexpr double kMost = std::numeric_limits<std::int32_t>::max();
      if (!found.one_zero || !(std::abs(number) <= kMost) || std::trunc(number) != number) return false;
      found.zero_number = static_cast<std::int64_t>(number);
      return true;
    }
    found.zero = widened(value);
    return found.zero.has_value();
  }

  const Graph& graph_;
  std::vector<NodeId>& makers_;
};

std::int64_t extent_or_none(const Dim& dim) {
  return dim.is_symbol() ? 0 : dim.extent();
}

}  // namespace

std::optional<IntegerProduct> integer_product_of(const Graph& graph, const Node& node) {
  if (node.op != Op::kMatMul || graph.type(node.outputs.front()).dtype != DType::kI32) return std::nullopt;
  const Shape& a = graph.type(node.inputs[0]).shape;
  const Shape& b = graph.type(node.inputs[1]).shape;
  if (a.size() < 2 || b.size() != 2) return std::nullopt;
  IntegerProduct product;
  Reading reading(graph, product.makers);
  // A zero point for each row is taken of one matrix.
  const Shape rows = a.size() == 2 ? Shape{a[0], Dim(1)} : Shape{Dim(1), Dim(1)};
  const auto left = reading.operand(node.inputs[0], rows);
  const auto right = left ? reading.operand(node.inputs[1], {Dim(1), b[1]}) : std::nullopt;
  if (!right) return std::nullopt;
  product.a = *left;
  product.b = *right;
  std::sort(product.makers.begin(), product.makers.end());
  product.makers.erase(std::unique(product.makers.begin(), product.makers.end()), product.makers.end());
  product.rows = 1;
  for (std::size_t i = 0; i + 1 < a.size(); ++i) product.rows *= extent_or_none(a[i]);
  product.depth = extent_or_none(b[0]);
  product.columns = extent_or_none(b[1]);
  return product;
}

}  // namespace fuselab
