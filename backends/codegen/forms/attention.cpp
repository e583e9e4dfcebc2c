// SPDX-License-Identifier: Apache-2.0
#include "backends/codegen/forms/attention.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <set>

#include "backends/codegen/rows/row_builder.h"
#include "core/extents/strides.h"

namespace fuselab::codegen {
namespace {

using Extents = std::vector<std::int64_t>;

int input_position(const Graph& graph, ValueId value) {
  const auto& inputs = graph.inputs();
  return static_cast<int>(std::find(inputs.begin(), inputs.end(), value) - inputs.begin());
}

Extents scaled(Extents strides, std::int64_t factor) {
  for (std::int64_t& stride : strides) stride *= factor;
  return strides;
}

// A number as a tensor of this type holds it, as far as a softmax can tell: -1e9 is -Inf of f16.
double held_as(DType dtype, double number) {
  if (dtype == DType::kF64) return number;
  constexpr double kBeyondF16 = 65520, kBeyondBF16 = 0x1.ffp127;  // halfway from the largest number to the next power
  const bool is_beyond = (dtype == DType::kF16 && std::fabs(number) >= kBeyondF16) ||
                         (dtype == DType::kBF16 && std::fabs(number) >= kBeyondBF16) || std::fabs(number) > 0x1.ffffffp127;
  return is_beyond ? std::copysign(std::numeric_limits<double>::infinity(), number) : number;
}

// Q, K, V of the operator form: heads are an axis of their own, or lie inside the last one.
Result<Attention> from_operator(const Graph& graph, const Node& node) {
  if (node.outputs.size() > 1) return unsupported(node, "further outputs are not generated yet");
  if (node.attributes.integer("qk_matmul_output_mode", 0) != 0)
    return unsupported(node, "qk_matmul_output_mode is not generated yet");
  const Extents q = extents_of(graph.type(node.inputs[0]).shape);
  const Extents k = extents_of(graph.type(node.inputs[1]).shape);
  const Extents v = extents_of(graph.type(node.inputs[2]).shape);
  const bool flat = q.size() == 3;
  const std::int64_t heads = flat ? node.attributes.integer("q_num_heads", 1) : q[1];
  const std::int64_t shared = flat ? node.attributes.integer("kv_num_heads", 1) : k[1];
  Attention a;
  a.queries = flat ? q[1] : q[2];
  a.keys = flat ? k[1] : k[2];
  a.depth = q.back() / (flat ? heads : 1);
  a.width = v.back() / (flat ? shared : 1);
  a.scale = node.attributes.real("scale", 1.0 / std::sqrt(static_cast<double>(a.depth)));
  a.softcap = node.attributes.real("softcap", 0.0);
  a.causal = node.attributes.integer("is_causal", 0) != 0;
  // Heads that share keys and values follow each other.
  a.batch_extents = {q[0], shared, heads / shared};
  const auto lay_out = [&](ValueId value, std::int64_t count, std::int64_t rows, std::int64_t size, bool shares) {
    AttentionOperand operand;
    operand.input = input_position(graph, value);
    const std::int64_t head = flat ? size : rows * size;
    const std::int64_t group = heads / shared;
    operand.vector = flat ? count * size : size;
    operand.batches = {rows * count * size, shares ? head : head * group, shares ? 0 : head};
    return operand;
  };
  a.query = lay_out(node.inputs[0], heads, a.queries, a.depth, false);
  a.key = lay_out(node.inputs[1], shared, a.keys, a.depth, true);
  a.value = lay_out(node.inputs[2], shared, a.keys, a.width, true);
  a.result = lay_out(node.outputs[0], heads, a.queries, a.width, false);
  if (node.inputs.size() > 3) {
    const Extents mask = extents_of(graph.type(node.inputs[3]).shape);
    const Extents strides = broadcast_strides(mask, 4);
    a.has_mask = a.hidden_is_zero = true;
    a.mask.input = input_position(graph, node.inputs[3]);
    a.mask.batches = {strides[0], strides[1] * (heads / shared), strides[1]};
    a.mask.vector = strides[2];
    a.mask.element = strides[3];
  }
  return a;
}

// The written-out form, read from the result backwards.
class Chain {
 public:
  explicit Chain(const Graph& graph) : graph_(graph) {}

  Result<Attention> read() {
    FL_TRY(const Node* product, maker(graph_.outputs().front(), Op::kMatMul));
    FL_TRY(const Node* softmax, maker(uncast(product->inputs[0], 32, 16), Op::kSoftmax));
    const Extents scores = extents_of(graph_.type(softmax->inputs[0]).shape);
    const std::int64_t axis = softmax->attributes.integer("axis", -1);
    if (axis != -1 && axis + 1 != static_cast<std::int64_t>(scores.size())) return unsupported(*softmax, "only the last axis");
    if (scores.size() < 2) return unsupported(*softmax, "scores must be a matrix");
    a_.queries = scores[scores.size() - 2];
    a_.keys = scores.back();
    a_.batch_extents.assign(scores.begin(), scores.end() - 2);
    const Extents result = extents_of(graph_.type(product->outputs[0]).shape);
    if (result.size() != scores.size() || !std::equal(scores.begin(), scores.end() - 2, result.begin()))
      return unsupported(*product, "values of more batches than the scores are not generated yet");
    FL_TRY(const Node* first, read_scores(softmax->inputs[0]));
    FL_TRY_VOID(read_query_and_key(*first));
    FL_TRY_VOID(read_value(*product));
    if (used_.size() != graph_.nodes().size())
      return Error{ErrorCode::kUnsupported, "attention with further operators is not generated yet"};
    return a_;
  }

 private:
  Result<const Node*> maker(ValueId value, Op op) {
    const auto producer = graph_.value(value).producer;
    if (!producer || graph_.node(*producer).op != op) {
      return Error{ErrorCode::kUnsupported,
                   "attention needs a " + std::string(name_of(op)) + " where '" + graph_.value(value).name + "' is made"};
    }
    used_.insert(&graph_.node(*producer));
    return &graph_.node(*producer);
  }

  const Node* producer_of(ValueId value) const {
    const auto producer = graph_.value(value).producer;
    return producer ? &graph_.node(*producer) : nullptr;
  }

  // Returns the operand of a Cast between reals of these sizes that makes this value, otherwise the value itself. The kernel
  // computes in f32 whatever the tensors hold: of half-precision scores it rounds neither what is widened before the softmax nor
  // what is narrowed behind it.
  ValueId uncast(ValueId value, int from_bits, int to_bits) {
    const Node* node = producer_of(value);
    if (node == nullptr || node->op != Op::kCast) return value;
    const DType from = graph_.type(node->inputs[0]).dtype, to = graph_.type(value).dtype;
    const bool fits = is_floating(from) && is_floating(to) && bits_of(from) == from_bits && bits_of(to) == to_bits;
    if (!fits) return value;
    used_.insert(node);
    return node->inputs[0];
  }

  // Multiplies a constant factor into the scale and returns the other operand's value.
  std::optional<ValueId> peel_scale(const Node& node) {
    if (node.op != Op::kMul && node.op != Op::kDiv) return std::nullopt;
    for (std::size_t i = 0; i < 2; ++i) {
      const Node* constant = producer_of(node.inputs[i]);
      if (constant == nullptr || constant->op != Op::kConstant || (node.op == Op::kDiv && i == 0)) continue;
      const double factor = constant->attributes.real("value", 1.0);
      a_.scale *= node.op == Op::kDiv ? 1.0 / factor : factor;
      used_.insert({constant, &node});
      return node.inputs[1 - i];
    }
    return std::nullopt;
  }

  Result<const Node*> read_scores(ValueId value) {
    while (true) {
      value = uncast(value, 16, 32);
      const Node* node = producer_of(value);
      if (node == nullptr) return Error{ErrorCode::kUnsupported, "attention needs the MatMul of its scores"};
      if (node->op == Op::kMatMul) {
        used_.insert(node);
        return node;
      }
      if (const auto inner = peel_scale(*node)) {
        value = *inner;
      } else if (node->op == Op::kAdd && !a_.has_mask && a_.scale == 1.0) {
        FL_TRY(value, read_mask(*node));
      } else if (node->op == Op::kWhere && !a_.has_mask && a_.scale == 1.0) {
        FL_TRY(value, read_choice(*node));
      } else {
        return unsupported(*node, "is not part of an attention kernel yet");
      }
    }
  }

  // Softmax(scale · scores + mask): the mask is met first and is not scaled.
  Result<ValueId> read_mask(const Node& node) {
    for (std::size_t i = 0; i < 2; ++i) {
      if (graph_.value(node.inputs[i]).producer) continue;
      lay_out_mask(node.inputs[i]);
      used_.insert(&node);
      return node.inputs[1 - i];
    }
    return unsupported(node, "a mask that the kernel itself computes is not generated yet");
  }

  // Reads Where(mask, scores, number), or the other way round, as masked_fill is written, and returns the scores.
  Result<ValueId> read_choice(const Node& node) {
    if (graph_.value(node.inputs[0]).producer)
      return unsupported(node, "a mask that the kernel itself computes is not generated yet");
    for (std::size_t i = 1; i < 3; ++i) {
      const Node* constant = producer_of(node.inputs[i]);
      if (constant == nullptr || constant->op != Op::kConstant) continue;
      a_.hidden = held_as(graph_.type(node.inputs[i]).dtype, constant->attributes.real("value", 0));
      if (std::isnan(a_.hidden)) break;
      a_.hides_where_true = i == 1;
      lay_out_mask(node.inputs[0]);
      used_.insert({constant, &node});
      return node.inputs[3 - i];
    }
    return unsupported(node, "only a number in place of scores is generated yet");
  }

  void lay_out_mask(ValueId mask) {
    const Extents strides = broadcast_strides(extents_of(graph_.type(mask).shape), a_.batch_extents.size() + 2);
    a_.has_mask = true;
    a_.mask.input = input_position(graph_, mask);
    a_.mask.batches.assign(strides.begin(), strides.end() - 2);
    a_.mask.vector = strides[strides.size() - 2];
    a_.mask.element = strides.back();
  }

  // The elements between neighbours along each axis of a value, Transposes between it and the tensor in memory undone.
  // Multiplies constant factors on the way into the scale where that is allowed.
  Result<Extents> trace(ValueId value, bool may_scale, int& input) {
    const Extents extents = extents_of(graph_.type(value).shape);
    Extents axes(extents.size());  // of the tensor in memory, by axis of the value
    std::iota(axes.begin(), axes.end(), 0);
    while (const Node* node = producer_of(value)) {
      if (const auto inner = may_scale ? peel_scale(*node) : std::nullopt) {
        value = *inner;
        continue;
      }
      if (node->op != Op::kTranspose) return unsupported(*node, "is not part of an attention kernel yet");
      Extents order = node->attributes.integers("perm");
      for (std::size_t i = extents.size(); order.size() < extents.size(); --i) order.push_back(static_cast<std::int64_t>(i) - 1);
      for (std::int64_t& axis : axes) axis = order[static_cast<std::size_t>(axis)];
      used_.insert(node);
      value = node->inputs[0];
    }
    input = input_position(graph_, value);
    const Extents memory = extents_of(graph_.type(value).shape);
    Extents strides;
    for (std::int64_t axis : axes) {
      strides.push_back(std::accumulate(memory.begin() + axis + 1, memory.end(), std::int64_t{1}, std::multiplies<>()));
    }
    return strides;
  }

  // An operand of a MatMul: vectors along the last axis, or along the one before it.
  Result<AttentionOperand> read_operand(ValueId value, bool vectors_are_columns, bool may_scale) {
    const Extents extents = extents_of(graph_.type(value).shape);
    const std::size_t rank = extents.size();
    if (rank < 2) return Error{ErrorCode::kUnsupported, "attention over vectors is not generated yet"};
    AttentionOperand operand;
    FL_TRY(const Extents strides, trace(value, may_scale, operand.input));
    operand.vector = strides[vectors_are_columns ? rank - 1 : rank - 2];
    operand.element = strides[vectors_are_columns ? rank - 2 : rank - 1];
    if (extents[vectors_are_columns ? rank - 2 : rank - 1] == 1) operand.element = 1;
    operand.batches.assign(a_.batch_extents.size() - (rank - 2), 0);
    for (std::size_t i = 0; i + 2 < rank; ++i) operand.batches.push_back(extents[i] == 1 ? 0 : strides[i]);
    return operand;
  }

  Status read_query_and_key(const Node& node) {
    FL_TRY(a_.query, read_operand(node.inputs[0], false, true));
    FL_TRY(a_.key, read_operand(node.inputs[1], true, true));
    a_.depth = extents_of(graph_.type(node.inputs[0]).shape).back();
    if (a_.query.element != 1) return unsupported(node, "queries that lie in columns are not generated yet");
    if (a_.key.element != 1 && a_.key.vector != 1) return unsupported(node, "keys that are scattered are not generated yet");
    return Status();
  }

  Status read_value(const Node& product) {
    FL_TRY(a_.value, read_operand(product.inputs[1], false, false));
    a_.width = extents_of(graph_.type(product.inputs[1]).shape).back();
    if (a_.value.element != 1) return unsupported(product, "values that lie in columns are not generated yet");
    a_.result = read_result(product.outputs[0]);
    return Status();
  }

  AttentionOperand read_result(ValueId value) const {
    const Extents extents = extents_of(graph_.type(value).shape);
    AttentionOperand operand;
    operand.vector = extents.back();
    const Extents batches(extents.begin(), extents.end() - 2);
    operand.batches = scaled(broadcast_strides(batches, a_.batch_extents.size()), extents.back() * extents[extents.size() - 2]);
    return operand;
  }

  const Graph& graph_;
  Attention a_;
  std::set<const Node*> used_;
};

Status check_types(const Graph& graph, const Attention& a) {
  for (const AttentionOperand* operand : {&a.query, &a.key, &a.value}) {
    if (operand->input >= static_cast<int>(graph.inputs().size())) {
      return Error{ErrorCode::kUnsupported, "an operand of attention that the kernel itself computes is not generated yet"};
    }
    const DType dtype = graph.type(graph.inputs()[static_cast<std::size_t>(operand->input)]).dtype;
    if (!is_floating(dtype) || bits_of(dtype) < 16) return Error{ErrorCode::kUnsupported, "attention in this element type"};
  }
  return Status();
}

}  // namespace

std::int64_t Attention::batches() const {
  return std::accumulate(batch_extents.begin(), batch_extents.end(), std::int64_t{1}, std::multiplies<>());
}

double Attention::least_score() const {
  if (!hidden_is_zero) return -std::numeric_limits<double>::infinity();
  return compute == DType::kF64 ? std::numeric_limits<double>::lowest() : std::numeric_limits<float>::lowest();
}

Result<Attention> make_attention(const Graph& graph) {
  if (!graph.is_concrete()) return Error{ErrorCode::kUnsupported, "the shape still has symbols: bind them with --shape"};
  if (graph.outputs().size() != 1 || graph.nodes().empty()) return Error{ErrorCode::kUnsupported, "attention has one result"};
  const bool single = graph.nodes().size() == 1 && graph.nodes().front().op == Op::kAttention;
  Result<Attention> made = single ? from_operator(graph, graph.nodes().front()) : Chain(graph).read();
  if (!made.ok()) return made;
  Attention attention = made.value();
  FL_TRY_VOID(check_types(graph, attention));
  if (graph.type(graph.outputs().front()).dtype == DType::kF64) attention.compute = DType::kF64;
  return attention;
}

}  // namespace fuselab::codegen
