// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <set>

#include "backends/library/claims.h"
#include "backends/mkl/bf16.h"
#include "backends/mkl/element_steps.h"
#include "backends/mkl/mkl_plan.h"
#include "core/extents/strides.h"
#include "core/ops/integer_product.h"
#include "core/ops/matrix_product.h"
#include "core/ops/memory_of.h"

namespace fuselab::mkl {
namespace {

using Dims = std::vector<std::int64_t>;

Error not_taken(std::string why) {
  return {ErrorCode::kUnsupported, std::move(why)};
}

bool fits(std::int64_t number) {
  return number <= std::numeric_limits<int>::max();
}

class MklLowering {
 public:
  explicit MklLowering(const Graph& graph) : graph_(graph) {}

  Result<MklPlan> run() {
    plan_.arguments = static_cast<int>(graph_.inputs().size() + graph_.outputs().size());
    FL_TRY_VOID(read_types());
    for (std::size_t i = 0; i < graph_.inputs().size(); ++i) tensors_[graph_.inputs()[i]] = static_cast<int>(i);
    for (std::size_t i = 0; i < graph_.nodes().size(); ++i) {
      if (read_with_bytes_.contains(static_cast<NodeId>(i))) continue;
      const Node& node = graph_.nodes()[i];
      if (const Status taken = take(node); !taken.ok()) return taken.error().within(name_of(node.op));
    }
    FL_TRY_VOID(place_outputs());
    write_products_in_place();
    return std::move(plan_);
  }

 private:
  struct Made {
    std::size_t call;
    int step;
  };

  // Finds products of 8-bit numbers; all other tensors are f32, or all are bf16.
  Status read_types() {
    std::optional<DType> common;
    std::set<ValueId> within;
    for (const Node& node : graph_.nodes()) {
      const auto product = integer_product_of(graph_, node);
      if (!product) continue;
      read_with_bytes_.insert(product->makers.begin(), product->makers.end());
      within.insert(node.outputs.front());
      for (const NodeId maker : product->makers) {
        for (const ValueId read : graph_.node(maker).inputs) within.insert(read);
        within.insert(graph_.node(maker).outputs.front());
      }
      products_.emplace(&node, *product);
    }
    for (std::size_t i = 0; i < graph_.values().size(); ++i) {
      const Value& value = graph_.values()[i];
      const bool is_constant = value.producer && graph_.node(*value.producer).op == Op::kConstant;
      if (is_constant || within.contains(static_cast<ValueId>(i))) continue;
      const DType dtype = value.type.dtype;
      if (dtype != DType::kF32 && dtype != DType::kBF16)
        return not_taken("MKL computes f32 and bf16 here, not " + std::string(name_of(dtype)));
      if (common.value_or(dtype) != dtype) return not_taken("f32 and bf16 in one piece");
      common = dtype;
    }
    is_bf16_ = common == DType::kBF16;
    return is_bf16_ && !products_.empty() ? not_taken("bf16 beside 8-bit numbers") : Status();
  }

  Status take(const Node& node) {
    const ValueId result = node.outputs.front();
    if (const auto found = products_.find(&node); found != products_.end()) return byte_product(node, found->second);
    if (node.op == Op::kCast) {
      const auto read = tensors_.find(node.inputs.front());
      if (read == tensors_.end() || !whole_.contains(read->second)) return not_taken("MKL has no function for it");
      tensors_[result] = read->second;  // whoever reads it casts
      return {};
    }
    if (node.op == Op::kConstant) {
      const auto number = static_cast<float>(node.attributes.real("value", 0));
      numbers_[result] = is_bf16_ ? widened(narrowed(number)) : number;
      return {};
    }
    if (is_view(node.op)) {
      if (numbers_.contains(node.inputs.front())) return not_taken("a view of a constant");
      tensors_[result] = tensor_of(node.inputs.front());
      open_.reset();  // what it holds is complete once the chain has ended
      return {};
    }
    if (node.op == Op::kMatMul || node.op == Op::kGemm) return product(node);
    if (is_vector_operator(node.op)) return element_wise(node, node.inputs);
    return not_taken("MKL has no function for it");
  }

  Dims dims_of(ValueId value) const { return extents_of(graph_.type(value).shape); }

  // The tensor that holds a value; a chain that made it is told to store it.
  int tensor_of(ValueId value) {
    if (const auto known = tensors_.find(value); known != tensors_.end()) return known->second;
    const Made& made = made_.at(value);
    const int tensor = new_tensor(product_of(dims_of(value)), is_bf16_);
    std::get<VectorChain>(plan_.calls[made.call]).steps[static_cast<std::size_t>(made.step)].stored_in = tensor;
    tensors_[value] = tensor;
    return tensor;
  }

  int new_tensor(std::int64_t elements, bool is_bf16) {
    plan_.kept_bytes.push_back(elements * static_cast<std::int64_t>(is_bf16 ? sizeof(std::uint16_t) : sizeof(float)));
    return plan_.arguments + static_cast<int>(plan_.kept_bytes.size()) - 1;
  }

  Status product(const Node& node) {
    const ValueId a = node.inputs[0], b = node.inputs[1], result = node.outputs.front();
    if (numbers_.contains(a) || numbers_.contains(b)) return not_taken("a product with a constant");
    MatrixProduct shape = matrix_product_of(node, dims_of(a), dims_of(b));
    if (std::all_of(shape.b_base.begin(), shape.b_base.end(), [](std::int64_t begin) { return begin == 0; })) {
      shape.rows *= static_cast<std::int64_t>(shape.a_base.size());  // one matrix for all of the batch, whose rows lie in order
      shape.a_base = shape.b_base = {0};
    }
    const std::int64_t m = shape.rows, n = shape.columns, k = shape.depth;
    if (!fits(m * std::max(k, n)) || !fits(n * k)) return not_taken("MKL's 32-bit extents do not hold it");
    Product made;
    made.m = static_cast<int>(m);
    made.n = static_cast<int>(n);
    made.k = static_cast<int>(k);
    made.trans_a = shape.a_depth != 1;
    made.trans_b = shape.b_column != 1;
    made.alpha = static_cast<float>(node.attributes.real("alpha", 1));
    made.begins_a = std::move(shape.a_base);
    made.begins_b = std::move(shape.b_base);
    made.is_bf16 = is_bf16_;
    made.constant_b = graph_.value(memory_of(graph_, b)).origin == ValueOrigin::kParam && made.begins_b.size() == 1 && !is_bf16_;
    made.a = operand_of_product(a);
    made.b = operand_of_product(b);
    made.c = tensors_[result] = new_tensor(product_of(dims_of(result)), false);
    if (is_bf16_) wide_.insert(made.c);
    const std::string op(name_of(node.op)), call = is_bf16_ ? "cblas_gemm_bf16bf16f32" : "cblas_sgemm";
    const std::size_t times = made.begins_a.size();
    plan_.words.push_back(times == 1                       ? call + " covers " + op
                          : made.is_strided() && !is_bf16_ ? call + "_batch_strided covers " + op
                                                           : std::to_string(times) + " calls of " + call + " cover " + op);
    plan_.calls.emplace_back(std::move(made));
    open_.reset();
    // The product is what the node made so far; its third operand joins whatever is element-wise behind it.
    return node.inputs.size() < 3 ? Status() : element_wise(node, {result, node.inputs[2]});
  }

  Status byte_product(const Node& node, const IntegerProduct& product) {
    if (product.b.dtype != DType::kI8) return not_taken("MKL multiplies u8 by i8 alone, and B is u8");
    if (product.b.has_zero() || !product.a.one_zero) return not_taken("MKL takes one zero point of A, and none of B");
    for (const ValueId read : {product.a.bytes, product.b.bytes, product.a.zero.value_or(product.a.bytes)}) {
      if (graph_.value(memory_of(graph_, read)).producer) return not_taken("8-bit numbers that are computed in the piece");
    }
    if (!fits(product.rows * std::max(product.depth, product.columns)) || !fits(product.columns * product.depth))
      return not_taken("MKL's 32-bit extents do not hold it");
    const auto argument = [&](ValueId value) { return tensors_.at(memory_of(graph_, value)); };
    Product made;
    made.m = static_cast<int>(product.rows);
    made.n = static_cast<int>(product.columns);
    made.k = static_cast<int>(product.depth);
    made.begins_a = made.begins_b = {0};
    made.a = argument(product.a.bytes);
    made.b = argument(product.b.bytes);
    ByteProduct bytes{product.a.dtype};
    bytes.zero_number = static_cast<int>(product.a.zero_number);
    if (product.a.zero) {
      bytes.zero = graph_.type(*product.a.zero).dtype;
      bytes.zero_tensor = argument(*product.a.zero);
    }
    bytes.constant_b = graph_.value(memory_of(graph_, product.b.bytes)).origin == ValueOrigin::kParam;
    if (bytes.a == DType::kI8) bytes.turned = new_tensor(product.rows * product.depth / 4 + 1, false);
    bytes.offsets = new_tensor(product.columns, false);
    made.bytes = bytes;
    made.c = tensors_[node.outputs.front()] = new_tensor(product.rows * product.columns, false);
    whole_.insert(made.c);
    plan_.words.emplace_back("cblas_gemm_s8u8s32 covers Cast+MatMul");
    plan_.calls.emplace_back(std::move(made));
    open_.reset();
    return {};
  }

  // A product of bf16 reads bf16: another product is rounded for it, as it would be where it is an argument.
  int operand_of_product(ValueId value) {
    const int tensor = tensor_of(value);
    if (!wide_.contains(tensor)) return tensor;
    const std::int64_t elements = product_of(dims_of(value));
    const int rounded = new_tensor(elements, true);
    copy(tensor, rounded, elements);
    return rounded;
  }

  void copy(int from, int to, std::int64_t elements) {
    const bool is_wide = wide_.contains(from);
    const VectorStep step{nullptr, {VectorOperand::Kind::kTensor, 0, 0}, {}, to};
    plan_.calls.emplace_back(VectorChain{{elements}, {{from, {1}, dtype_of(from)}}, {step}, is_bf16_});
    plan_.words.emplace_back(is_wide ? "a rounding copy" : "a copy");
  }

  DType dtype_of(int tensor) const {
    if (whole_.contains(tensor)) return DType::kI32;
    return is_bf16_ && !wide_.contains(tensor) ? DType::kBF16 : DType::kF32;
  }

  // The chain that is open for this shape, or a new one.
  VectorChain& chain_for(const Dims& dims, std::string_view covers) {
    if (open_ && std::get<VectorChain>(plan_.calls[*open_]).dims == dims) {
      plan_.words[*open_] += "+" + std::string(covers);
    } else {
      open_ = plan_.calls.size();
      plan_.calls.emplace_back(VectorChain{dims, {}, {}, is_bf16_});
      plan_.words.push_back("vector functions cover " + std::string(covers));
    }
    return std::get<VectorChain>(plan_.calls[*open_]);
  }

  VectorOperand operand(VectorChain& chain, ValueId value) {
    if (const auto number = numbers_.find(value); number != numbers_.end()) {
      return {VectorOperand::Kind::kNumber, -1, number->second};
    }
    const auto made = made_.find(value);
    if (made != made_.end() && open_ == made->second.call) return {VectorOperand::Kind::kStep, made->second.step, 0};
    const int tensor = tensor_of(value);
    const Dims strides = broadcast_strides(dims_of(value), chain.dims.size());
    const auto same = [&](const Reading& each) { return each.tensor == tensor && each.strides == strides; };
    const auto found = std::find_if(chain.readings.begin(), chain.readings.end(), same);
    const int index = static_cast<int>(found - chain.readings.begin());
    if (found == chain.readings.end()) chain.readings.push_back({tensor, strides, dtype_of(tensor)});
    return {VectorOperand::Kind::kTensor, index, 0};
  }

  Status element_wise(const Node& node, const std::vector<ValueId>& inputs) {
    const ValueId result = node.outputs.front();
    VectorChain& chain = chain_for(dims_of(result), node.op == Op::kGemm ? "Gemm's C" : name_of(node.op));
    std::vector<VectorOperand> operands;
    for (const ValueId input : inputs) operands.push_back(operand(chain, input));
    FL_TRY(const VectorOperand made, append_steps(node, operands, chain.steps));
    tensors_.erase(result);  // of a Gemm, its product was taken for it until now
    made_[result] = {*open_, made.index};
    return {};
  }

  Status place_outputs() {
    for (std::size_t i = 0; i < graph_.outputs().size(); ++i) {
      const ValueId value = graph_.outputs()[i];
      if (numbers_.contains(value)) return not_taken("an output that is a constant");
      const int tensor = tensor_of(value);
      const int argument = static_cast<int>(graph_.inputs().size() + i);
      const bool is_cast = whole_.contains(tensor) && graph_.type(value).dtype != DType::kI32;
      if (tensor >= plan_.arguments && !wide_.contains(tensor) && !is_cast) {
        move(tensor, argument);
      } else {
        copy(tensor, argument, product_of(dims_of(value)));
      }
    }
    return {};
  }

  // Has another tensor in the place of one that the plan kept.
  void move(int from, int to) {
    plan_.kept_bytes[static_cast<std::size_t>(from - plan_.arguments)] = 0;
    const auto change = [from, to](int& tensor) {
      if (tensor == from) tensor = to;
    };
    for (auto& [value, tensor] : tensors_) change(tensor);
    for (auto& call : plan_.calls) {
      if (auto* const product = std::get_if<Product>(&call)) {
        for (int* const each : {&product->a, &product->b, &product->c}) change(*each);
      } else {
        auto& chain = std::get<VectorChain>(call);
        for (Reading& each : chain.readings) change(each.tensor);
        for (VectorStep& each : chain.steps) change(each.stored_in);
      }
    }
  }

  int reads_of(int tensor) const {
    int reads = 0;
    for (const auto& call : plan_.calls) {
      if (const auto* const product = std::get_if<Product>(&call)) {
        reads += (product->a == tensor ? 1 : 0) + (product->b == tensor ? 1 : 0);
      } else {
        for (const Reading& each : std::get<VectorChain>(call).readings) reads += each.tensor == tensor ? 1 : 0;
      }
    }
    return reads;
  }

  // A product that only the chain right behind it reads, element by element, is written where that chain's last step stores its
  // result: it has been read for the last time by then.
  void write_products_in_place() {
    if (is_bf16_) return;  // a product is f32, where the result lies is not
    for (std::size_t i = 0; i + 1 < plan_.calls.size(); ++i) {
      const auto* const product = std::get_if<Product>(&plan_.calls[i]);
      const auto* const chain = std::get_if<VectorChain>(&plan_.calls[i + 1]);
      if (product == nullptr || chain == nullptr || product->c < plan_.arguments || reads_of(product->c) != 1) continue;
      const Dims dense = broadcast_strides(chain->dims, chain->dims.size());
      const bool reads = std::any_of(chain->readings.begin(), chain->readings.end(),
                                     [&](const Reading& each) { return each.tensor == product->c && each.strides == dense; });
      if (reads && chain->steps.back().stored_in >= 0) move(product->c, chain->steps.back().stored_in);
    }
  }

  const Graph& graph_;
  MklPlan plan_;
  bool is_bf16_ = false;
  std::map<ValueId, int> tensors_;
  std::set<int> wide_;   // tensors of f32 among those of bf16: products
  std::set<int> whole_;  // tensors of i32: products of 8-bit numbers
  std::map<const Node*, IntegerProduct> products_;
  std::set<NodeId> read_with_bytes_;  // the operators that make their operands
  std::map<ValueId, float> numbers_;
  std::map<ValueId, Made> made_;     // by which step of which chain
  std::optional<std::size_t> open_;  // the chain that the next element-wise operator of its shape joins
};

}  // namespace

bool Product::is_strided() const {
  const auto steady = [](const std::vector<std::int64_t>& begins) {
    const std::int64_t step = begins[1] - begins[0];
    // A stride of 0 is not within what the reference says of the call.
    if (step <= 0 || !fits(step)) return false;
    const auto differs = [step](std::int64_t one, std::int64_t next) { return next - one != step; };
    return std::adjacent_find(begins.begin(), begins.end(), differs) == begins.end();
  };
  return begins_a.size() < 2 || (steady(begins_a) && steady(begins_b));
}

Result<MklPlan> lower(const Graph& graph) {
  if (graph.inputs().empty()) return not_taken("nothing to read");
  FL_TRY_VOID(library::has_elements(graph));
  return MklLowering(graph).run();
}

const std::vector<Op>& claimed_operators() {
  static const std::vector<Op> claimed = [] {
    std::vector<Op> operators;
    for (int i = 0; i < static_cast<int>(Op::kConstant); ++i) {
      const Op op = static_cast<Op>(i);
      if (op == Op::kMatMul || op == Op::kGemm || is_view(op) || is_vector_operator(op)) operators.push_back(op);
    }
    return operators;
  }();
  return claimed;
}

Drawbacks drawbacks_in(const Graph& graph) {
  constexpr library::OpLoss kLosesNan[] = {Op::kRelu, Op::kLeakyRelu, Op::kClip, Op::kMin, Op::kMax};
  return library::Claims{.loses_nan = kLosesNan}.drawbacks_in(graph);
}

}  // namespace fuselab::mkl
