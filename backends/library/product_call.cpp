// SPDX-License-Identifier: Apache-2.0
#include "backends/library/product_call.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <vector>

#include "backends/library/claims.h"
#include "core/cost/matrix_product.h"

namespace fuselab::library {
namespace {

using Dims = std::vector<std::int64_t>;

Error not_taken(std::string why) {
  return {ErrorCode::kUnsupported, std::move(why)};
}

// The distance from one of a batch to the next; nothing where they lie unevenly.
std::optional<std::int64_t> stride_of(const std::vector<std::int64_t>& begins) {
  if (begins.size() < 2) return 0;
  const std::int64_t step = begins[1] - begins[0];
  const auto differs = [step](std::int64_t one, std::int64_t next) { return next - one != step; };
  return std::ranges::adjacent_find(begins, differs) == begins.end() ? std::optional(step) : std::nullopt;
}

class Lowering {
 public:
  Lowering(const Graph& graph, const ProductAbilities& abilities) : graph_(graph), abilities_(abilities) {}

  Result<ProductCall> run() {
    FL_TRY_VOID(has_elements(graph_));
    const auto nodes = graph_.nodes();
    if (nodes.empty() || (nodes.front().op != Op::kMatMul && nodes.front().op != Op::kGemm))
      return not_taken(name() + " computes products of matrices, and what it fuses behind them");
    call_.dtype = graph_.type(nodes.front().outputs.front()).dtype;
    for (const Value& value : graph_.values()) {
      const DType dtype = value.type.dtype;
      if (dtype != DType::kF32 && dtype != DType::kF16 && dtype != DType::kBF16)
        return not_taken(name() + " is asked for f32, f16 and bf16, not " + std::string(name_of(dtype)));
      if (dtype != call_.dtype) return not_taken("two types in one piece");
    }
    FL_TRY_VOID(product(nodes.front()));
    for (const Node& node : nodes.subspan(1)) {
      call_.covers += "+" + std::string(name_of(node.op));
      if (const Status taken = take(node); !taken.ok()) return taken.error().within(name_of(node.op));
    }
    if (graph_.outputs().size() != 1 || graph_.outputs().front() != last_)
      return not_taken("a result within the call is asked for");
    call_.d.argument = static_cast<int>(graph_.inputs().size());
    return std::move(call_);
  }

 private:
  std::string name() const { return abilities_.library; }
  Dims dims_of(ValueId value) const { return extents_of(graph_.type(value).shape); }

  Result<int> argument_of(ValueId value) const {
    const auto found = std::ranges::find(graph_.inputs(), value);
    if (found == graph_.inputs().end()) return not_taken("an operand is computed within the piece");
    return static_cast<int>(found - graph_.inputs().begin());
  }

  Status product(const Node& node) {
    FL_TRY(call_.b.argument, argument_of(node.inputs[0]));
    FL_TRY(call_.a.argument, argument_of(node.inputs[1]));
    MatrixProduct shape = matrix_product_of(node, dims_of(node.inputs[0]), dims_of(node.inputs[1]));
    if (std::ranges::all_of(shape.b_base, [](std::int64_t begin) { return begin == 0; })) {
      shape.rows *= static_cast<std::int64_t>(shape.a_base.size());  // one matrix for all of the batch, whose rows lie in order
      shape.a_base = shape.b_base = {0};
    }
    const auto a_stride = stride_of(shape.b_base), b_stride = stride_of(shape.a_base);
    if (!a_stride || !b_stride) return not_taken("the batch broadcasts one operand in a way that has no single stride");
    call_.rows = shape.columns;
    call_.columns = shape.rows;
    call_.depth = shape.depth;
    call_.batch = static_cast<std::int64_t>(shape.a_base.size());
    call_.a.transposed = shape.b_column != 1;
    call_.a.leading = call_.a.transposed ? call_.depth : call_.rows;
    call_.a.stride = *a_stride;
    call_.b.transposed = shape.a_depth != 1;
    call_.b.leading = call_.b.transposed ? call_.columns : call_.depth;
    call_.b.stride = *b_stride;
    call_.d.leading = call_.rows;
    call_.d.stride = call_.rows * call_.columns;
    if (std::max({call_.rows, call_.columns, call_.depth}) > std::numeric_limits<std::int32_t>::max())
      return not_taken("an extent above 31 bits");
    call_.covers = std::string(name_of(node.op));
    last_ = node.outputs.front();
    call_.alpha = static_cast<float>(node.attributes.real("alpha", 1));
    return node.inputs.size() < 3 ? Status() : add(node.inputs[2], static_cast<float>(node.attributes.real("beta", 1)));
  }

  Status take(const Node& node) {
    const ValueId before = last_;
    last_ = node.outputs.front();
    if (std::ranges::find(node.inputs, before) == node.inputs.end()) return not_taken("it does not follow the product");
    if (call_.end != ProductEnd::kNone) return not_taken("it stands behind an activation");
    if (node.op == Op::kAdd) {
      if (node.inputs[0] == node.inputs[1]) return not_taken("the sum of a product with itself");
      if (dims_of(last_) != dims_of(before)) return not_taken("it broadcasts the product");
      return add(node.inputs[node.inputs[0] == before ? 1 : 0], 1);
    }
    if (!abilities_.has_ends) return not_taken(name() + " computes no activation");
    if (node.op == Op::kRelu) return call_.end = ProductEnd::kRelu, Status();
    if (node.op != Op::kGelu) return not_taken(name() + " has no such epilogue");
    if (node.attributes.text("approximate", "none") != "tanh") return not_taken(name() + " approximates Gelu by tanh alone");
    return call_.end = ProductEnd::kGelu, Status();
  }

  // C, of the product's shape, or a bias, one number a column of the graph's.
  Status add(ValueId value, float factor) {
    FL_TRY(const int argument, argument_of(value));
    Dims own = dims_of(value);
    own.erase(own.begin(), std::ranges::find_if(own, [](std::int64_t each) { return each != 1; }));
    Dims whole = dims_of(last_);
    whole.erase(whole.begin(), std::ranges::find_if(whole, [](std::int64_t each) { return each != 1; }));
    const bool is_row = call_.rows > 1 ? own == Dims{call_.rows} : own.empty();
    if (is_row && abilities_.adds_bias && factor == 1 && call_.bias < 0) return call_.bias = argument, Status();
    if (own == whole) {
      if (call_.c.argument >= 0) return not_taken("two operands of the product's shape are added");
      call_.c = {argument, false, call_.d.leading, call_.d.stride};
      call_.beta = factor;
      return {};
    }
    if (!is_row) return not_taken("what is added is neither of the product's shape nor one number a column");
    if (!abilities_.adds_bias) return not_taken(name() + " adds matrices of the product's shape, no bias");
    return not_taken(call_.bias < 0 ? "a bias with a factor" : "two biases");
  }

  const Graph& graph_;
  const ProductAbilities& abilities_;
  ProductCall call_;
  ValueId last_{};
};

}  // namespace

Result<ProductCall> product_call_of(const Graph& graph, const ProductAbilities& abilities) {
  return Lowering(graph, abilities).run();
}

}  // namespace fuselab::library
