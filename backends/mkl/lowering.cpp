// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <optional>

#include "backends/mkl/bf16.h"
#include "backends/mkl/element_steps.h"
#include "backends/mkl/mkl_plan.h"

namespace fuselab::mkl {
namespace {

using Dims = std::vector<std::int64_t>;

Error not_taken(std::string why) {
  return {ErrorCode::kUnsupported, std::move(why)};
}

std::int64_t count_of(const Dims& dims, std::size_t begin, std::size_t end) {
  std::int64_t count = 1;
  for (std::size_t i = begin; i < end; ++i) count *= dims[i];
  return count;
}

std::int64_t count_of(const Dims& dims) {
  return count_of(dims, 0, dims.size());
}

// Strides of a row-major tensor as it is broadcast to `to`.
Dims broadcast_strides(const Dims& dims, const Dims& to) {
  Dims strides(to.size(), 0);
  std::int64_t stride = 1;
  for (std::size_t i = dims.size(); i-- > 0; stride *= dims[i]) {
    if (dims[i] != 1) strides[to.size() - dims.size() + i] = stride;
  }
  return strides;
}

bool fits(std::int64_t number) {
  return number <= std::numeric_limits<int>::max();
}

class MklLowering {
 public:
  explicit MklLowering(const Graph& graph) : graph_(graph) {}

  Result<MklPlan> run() {
    plan_.arguments = static_cast<int>(graph_.inputs().size() + graph_.outputs().size());
    plan_.is_bf16 = graph_.type(graph_.inputs().front()).dtype == DType::kBF16;
    for (std::size_t i = 0; i < graph_.inputs().size(); ++i) tensors_[graph_.inputs()[i]] = static_cast<int>(i);
    for (const Node& node : graph_.nodes()) {
      if (const Status taken = take(node); !taken.ok()) return taken.error().within(name_of(node.op));
    }
    FL_TRY_VOID(place_outputs());
    write_products_in_place();
    forget_unused();
    return std::move(plan_);
  }

 private:
  struct Made {
    std::size_t call;
    int step;
  };

  Status take(const Node& node) {
    const ValueId result = node.outputs.front();
    if (node.op == Op::kConstant) {
      const auto number = static_cast<float>(node.attributes.real("value", 0));
      numbers_[result] = plan_.is_bf16 ? widened(narrowed(number)) : number;
      return {};
    }
    if (is_view(node.op)) {
      if (numbers_.contains(node.inputs.front())) return not_taken("a view of a constant");
      tensors_[result] = tensor_of(node.inputs.front());
      open_.reset();  // what it holds is complete once the chain has ended
      return {};
    }
    if (node.op == Op::kMatMul) return matmul(node);
    if (node.op == Op::kGemm) return gemm(node);
    if (is_vector_operator(node.op)) return element_wise(node);
    return not_taken("MKL has no function for it");
  }

  Dims dims_of(ValueId value) const { return extents_of(graph_.type(value).shape); }

  // The tensor that holds a value; a chain that made it is told to store it.
  int tensor_of(ValueId value) {
    if (const auto known = tensors_.find(value); known != tensors_.end()) return known->second;
    const Made& made = made_.at(value);
    const int tensor = new_tensor(count_of(dims_of(value)));
    std::get<VectorChain>(plan_.calls[made.call]).steps[static_cast<std::size_t>(made.step)].stored_in = tensor;
    tensors_[value] = tensor;
    return tensor;
  }

  int new_tensor(std::int64_t elements) {
    plan_.kept_elements.push_back(elements);
    return plan_.arguments + static_cast<int>(plan_.kept_elements.size()) - 1;
  }

  bool is_parameter(ValueId value) const {
    const auto known = tensors_.find(value);
    if (known == tensors_.end() || known->second >= static_cast<int>(graph_.inputs().size())) return false;
    return graph_.value(graph_.inputs()[static_cast<std::size_t>(known->second)]).origin == ValueOrigin::kParam;
  }

  Status matmul(const Node& node) {
    Dims a = dims_of(node.inputs[0]), b = dims_of(node.inputs[1]);
    if (a.size() == 1) a.insert(a.begin(), 1);
    if (b.size() == 1) b.push_back(1);
    const std::size_t batch_a = a.size() - 2, batch_b = b.size() - 2;
    Product product;
    std::int64_t m = a[batch_a];
    const std::int64_t k = a.back(), n = b.back();
    if (count_of(b, 0, batch_b) == 1) {
      m *= count_of(a, 0, batch_a);  // one matrix for all of the batch: its rows lie one after the other
    } else {
      product.begins = begins_of(a, b);
    }
    return add_product(node, std::move(product), m, n, k);
  }

  // The beginnings of both operands for every product of a batch, by numpy's rules.
  static std::vector<std::pair<std::int64_t, std::int64_t>> begins_of(const Dims& a, const Dims& b) {
    const std::size_t rank = std::max(a.size(), b.size());
    Dims batch(rank - 2, 1);
    const auto widen = [&](const Dims& dims) {
      for (std::size_t i = 0; i + 2 < dims.size(); ++i) {
        auto& extent = batch[rank - dims.size() + i];
        extent = std::max(extent, dims[i]);
      }
    };
    widen(a);
    widen(b);
    const auto strides = [&](const Dims& dims) {
      Dims found = broadcast_strides(Dims(dims.begin(), dims.end() - 2), batch);
      for (std::int64_t& each : found) each *= dims[dims.size() - 1] * dims[dims.size() - 2];
      return found;
    };
    const Dims of_a = strides(a), of_b = strides(b);
    std::vector<std::pair<std::int64_t, std::int64_t>> begins;
    for (std::int64_t at = 0; at < count_of(batch); ++at) {
      std::pair<std::int64_t, std::int64_t> begin{0, 0};
      std::int64_t rest = at;
      for (std::size_t i = batch.size(); i-- > 0; rest /= batch[i]) {
        begin.first += rest % batch[i] * of_a[i];
        begin.second += rest % batch[i] * of_b[i];
      }
      begins.push_back(begin);
    }
    return begins;
  }

  Status gemm(const Node& node) {
    const Dims a = dims_of(node.inputs[0]), b = dims_of(node.inputs[1]);
    Product product;
    product.trans_a = node.attributes.integer("transA", 0) != 0;
    product.trans_b = node.attributes.integer("transB", 0) != 0;
    product.alpha = static_cast<float>(node.attributes.real("alpha", 1));
    const std::int64_t m = a[product.trans_a ? 1 : 0], k = a[product.trans_a ? 0 : 1], n = b[product.trans_b ? 0 : 1];
    FL_TRY_VOID(add_product(node, std::move(product), m, n, k));
    if (node.inputs.size() < 3) return {};
    // The product is what the node made so far; its third operand joins whatever is element-wise behind it.
    const ValueId result = node.outputs.front();
    const Dims dims = dims_of(result);
    VectorChain& chain = chain_for(dims, "Gemm's C");
    const VectorOperand made = read(chain, tensors_.at(result), dims, dims);
    VectorOperand added = operand(chain, node.inputs[2], dims);
    const double beta = node.attributes.real("beta", 1);
    const auto step = [&](VectorFunction function, VectorOperand first, VectorOperand second) {
      chain.steps.push_back({function, first, second, -1});
      return VectorOperand{VectorOperand::Kind::kStep, static_cast<int>(chain.steps.size()) - 1, 0};
    };
    if (beta != 1) added = step(VectorFunction::kMul, added, {VectorOperand::Kind::kNumber, -1, static_cast<float>(beta)});
    tensors_.erase(result);
    made_[result] = {*open_, step(VectorFunction::kAdd, made, added).index};
    return {};
  }

  Status add_product(const Node& node, Product product, std::int64_t m, std::int64_t n, std::int64_t k) {
    if (numbers_.contains(node.inputs[0]) || numbers_.contains(node.inputs[1])) return not_taken("a product with a constant");
    if (!fits(m * std::max(k, n)) || !fits(n * k)) return not_taken("MKL's 32-bit extents do not hold it");
    product.m = static_cast<int>(m);
    product.n = static_cast<int>(n);
    product.k = static_cast<int>(k);
    product.is_bf16 = plan_.is_bf16;
    product.constant_b = is_parameter(node.inputs[1]) && product.begins.size() == 1 && !product.is_bf16;
    product.a = operand_of_product(node.inputs[0]);
    product.b = operand_of_product(node.inputs[1]);
    product.c = new_tensor(count_of(dims_of(node.outputs.front())));
    tensors_[node.outputs.front()] = product.c;
    const std::string op(name_of(node.op)), call = product.is_bf16 ? "cblas_gemm_bf16bf16f32" : "cblas_sgemm";
    const std::size_t times = product.begins.size();
    plan_.words.push_back(times == 1 ? call + " covers " + op
                          : product.is_strided() && !product.is_bf16
                              ? call + "_batch_strided covers " + op
                              : std::to_string(times) + " calls of " + call + " cover " + op);
    plan_.calls.emplace_back(std::move(product));
    open_.reset();
    return {};
  }

  // A product of bf16 reads bf16: what the plan keeps as f32 is rounded for it, as it would be where it is an argument.
  int operand_of_product(ValueId value) {
    const int tensor = tensor_of(value);
    if (!plan_.is_bf16 || tensor < plan_.arguments) return tensor;
    const std::int64_t elements = count_of(dims_of(value));
    const int rounded = new_tensor((elements + 1) / 2);
    plan_.calls.emplace_back(TensorCopy{tensor, rounded, elements, true});
    plan_.words.emplace_back("a rounding copy");
    return rounded;
  }

  // The chain that is open for this shape, or a new one.
  VectorChain& chain_for(const Dims& dims, std::string_view covers) {
    if (open_ && std::get<VectorChain>(plan_.calls[*open_]).dims == dims) {
      plan_.words[*open_] += "+" + std::string(covers);
    } else {
      open_ = plan_.calls.size();
      plan_.calls.emplace_back(VectorChain{dims, {}, {}});
      plan_.words.push_back("vector functions cover " + std::string(covers));
    }
    return std::get<VectorChain>(plan_.calls[*open_]);
  }

  static VectorOperand read(VectorChain& chain, int tensor, const Dims& dims, const Dims& to) {
    const Dims strides = broadcast_strides(dims, to);
    const auto same = [&](const Reading& each) { return each.tensor == tensor && each.strides == strides; };
    const auto found = std::find_if(chain.readings.begin(), chain.readings.end(), same);
    const int index = static_cast<int>(found - chain.readings.begin());
    if (found == chain.readings.end()) chain.readings.push_back({tensor, strides});
    return {VectorOperand::Kind::kTensor, index, 0};
  }

  VectorOperand operand(VectorChain& chain, ValueId value, const Dims& to) {
    if (const auto number = numbers_.find(value); number != numbers_.end()) {
      return {VectorOperand::Kind::kNumber, -1, static_cast<float>(number->second)};
    }
    const auto made = made_.find(value);
    if (made != made_.end() && open_ == made->second.call) return {VectorOperand::Kind::kStep, made->second.step, 0};
    return read(chain, tensor_of(value), dims_of(value), to);
  }

  Status element_wise(const Node& node) {
    const ValueId result = node.outputs.front();
    const Dims dims = dims_of(result);
    VectorChain& chain = chain_for(dims, name_of(node.op));
    std::vector<VectorOperand> operands;
    for (const ValueId input : node.inputs) operands.push_back(operand(chain, input, dims));
    FL_TRY(const VectorOperand made, append_steps(node, operands, chain.steps));
    made_[result] = {*open_, made.index};
    return {};
  }

  Status place_outputs() {
    std::map<int, int> placed;  // the plan's tensor → the argument that it becomes
    for (std::size_t i = 0; i < graph_.outputs().size(); ++i) {
      const ValueId value = graph_.outputs()[i];
      if (numbers_.contains(value)) return not_taken("an output that is a constant");
      const int tensor = tensor_of(value);
      const int argument = static_cast<int>(graph_.inputs().size() + i);
      const std::int64_t elements = count_of(dims_of(value));
      if (plan_.is_bf16 && tensor >= plan_.arguments && (is_product(tensor) || reads_of(tensor) > 0)) {
        plan_.calls.emplace_back(TensorCopy{tensor, argument, elements, true});
        plan_.words.emplace_back("a rounding copy");
        continue;
      }
      if (tensor >= plan_.arguments && placed.try_emplace(tensor, argument).second) continue;
      const auto known = placed.find(tensor);
      plan_.calls.emplace_back(TensorCopy{known == placed.end() ? tensor : known->second, argument, elements});
      plan_.words.emplace_back("a copy");
    }
    rename([&](int tensor) {
      const auto known = placed.find(tensor);
      return known == placed.end() ? tensor : known->second;
    });
    return {};
  }

  template <typename Rename>
  void rename(const Rename& renamed) {
    for (auto& call : plan_.calls) {
      if (auto* const product = std::get_if<Product>(&call)) {
        for (int* const each : {&product->a, &product->b, &product->c}) *each = renamed(*each);
      } else if (auto* const chain = std::get_if<VectorChain>(&call)) {
        for (Reading& each : chain->readings) each.tensor = renamed(each.tensor);
        for (VectorStep& each : chain->steps) each.stored_in = renamed(each.stored_in);
      } else {
        auto& copy = std::get<TensorCopy>(call);
        copy.from = renamed(copy.from);
        copy.to = renamed(copy.to);
      }
    }
  }

  int reads_of(int tensor) const {
    int reads = 0;
    for (const auto& call : plan_.calls) {
      if (const auto* const product = std::get_if<Product>(&call)) {
        reads += (product->a == tensor ? 1 : 0) + (product->b == tensor ? 1 : 0);
      } else if (const auto* const chain = std::get_if<VectorChain>(&call)) {
        for (const Reading& each : chain->readings) reads += each.tensor == tensor ? 1 : 0;
      } else {
        reads += std::get<TensorCopy>(call).from == tensor ? 1 : 0;
      }
    }
    return reads;
  }

  bool is_product(int tensor) const {
    return std::any_of(plan_.calls.begin(), plan_.calls.end(), [tensor](const auto& call) {
      const auto* const product = std::get_if<Product>(&call);
      return product != nullptr && product->c == tensor;
    });
  }

  // A product that only the chain right behind it reads, element by element, is written where that chain stores its own result.
  void write_products_in_place() {
    if (plan_.is_bf16) return;  // a product is f32, where the result lies is not
    for (std::size_t i = 0; i + 1 < plan_.calls.size(); ++i) {
      const auto* const product = std::get_if<Product>(&plan_.calls[i]);
      const auto* const chain = std::get_if<VectorChain>(&plan_.calls[i + 1]);
      if (product == nullptr || chain == nullptr || product->c < plan_.arguments || reads_of(product->c) != 1) continue;
      const int place = place_in(*chain, product->c);
      const int taken = product->c;
      if (place >= 0) rename([&](int tensor) { return tensor == taken ? place : tensor; });
    }
  }

  // The tensor that a chain writes after it has read this one for the last time; -1: none.
  static int place_in(const VectorChain& chain, int tensor) {
    const auto reading =
        std::find_if(chain.readings.begin(), chain.readings.end(), [tensor](const Reading& each) { return each.tensor == tensor; });
    if (reading == chain.readings.end() || reading->strides != broadcast_strides(chain.dims, chain.dims)) return -1;
    const int index = static_cast<int>(reading - chain.readings.begin());
    const auto reads = [index](const VectorOperand& each) {
      return each.kind == VectorOperand::Kind::kTensor && each.index == index;
    };
    for (std::size_t i = chain.steps.size(); i-- > 0;) {
      if (chain.steps[i].stored_in >= 0) return chain.steps[i].stored_in;
      if (reads(chain.steps[i].a) || (takes_two(chain.steps[i].function) && reads(chain.steps[i].b))) return -1;
    }
    return -1;
  }

  void forget_unused() {
    std::vector<bool> used(plan_.kept_elements.size(), false);
    rename([&](int tensor) {
      if (tensor >= plan_.arguments) used[static_cast<std::size_t>(tensor - plan_.arguments)] = true;
      return tensor;
    });
    for (std::size_t i = 0; i < used.size(); ++i) {
      if (!used[i]) plan_.kept_elements[i] = 0;
    }
  }

  const Graph& graph_;
  MklPlan plan_;
  std::map<ValueId, int> tensors_;
  std::map<ValueId, double> numbers_;
  std::map<ValueId, Made> made_;     // by which step of which chain
  std::optional<std::size_t> open_;  // the chain that the next element-wise operator of its shape joins
};

}  // namespace

bool Product::is_strided() const {
  if (begins.size() < 2) return true;
  const auto step_a = begins[1].first - begins[0].first, step_b = begins[1].second - begins[0].second;
  // A stride of 0 is not within what the reference says of the call.
  if (step_a <= 0 || step_b <= 0 || !fits(step_a) || !fits(step_b)) return false;
  for (std::size_t i = 1; i < begins.size(); ++i) {
    if (begins[i].first - begins[i - 1].first != step_a || begins[i].second - begins[i - 1].second != step_b) return false;
  }
  return true;
}

Result<MklPlan> lower(const Graph& graph) {
  if (graph.inputs().empty()) return not_taken("nothing to read");
  for (const Value& value : graph.values()) {
    if (value.producer && graph.node(*value.producer).op == Op::kConstant) continue;
    if (value.type.dtype != DType::kF32 && value.type.dtype != DType::kBF16)
      return not_taken("MKL computes f32 and bf16 here, not " + std::string(name_of(value.type.dtype)));
    if (value.type.dtype != graph.type(graph.inputs().front()).dtype) return not_taken("f32 and bf16 in one piece");
    const auto count = element_count(value.type.shape);
    if (!count.ok() || count.value() == 0) return not_taken("a tensor without elements");
  }
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

bool loses_nan(const Graph& graph) {
  const auto loses = [](const Node& node) {
    return node.op == Op::kRelu || node.op == Op::kLeakyRelu || node.op == Op::kClip || node.op == Op::kMin || node.op == Op::kMax;
  };
  return std::any_of(graph.nodes().begin(), graph.nodes().end(), loses);
}

}  // namespace fuselab::mkl
