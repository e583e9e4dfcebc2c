// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "backends/torch/lowering.h"
#include "core/extents/strides.h"

namespace fuselab::torch {
namespace {

constexpr Schema kProduct{"aten::mm", "out", "ttt"};
constexpr Schema kProducts{"aten::bmm", "out", "ttt"};
constexpr Schema kProductAndAddend{"aten::addmm", "out", "tttcct", 1,
                                   "_ZN2at4_ops9addmm_out4callERKNS_6TensorES4_S4_RKN3c106ScalarES8_RS2_"};
constexpr Schema kAttention{"aten::scaled_dot_product_attention", "", "tttofbgb"};

// Returns the addition behind a product by a matrix that adds one number to each of its columns, and which of its operands that is.
struct Bias {
  const Node* node;
  int tensor;
};
std::optional<Bias> bias_behind(const Lowering& to, const Node& product) {
  const Graph& graph = to.graph();
  if (graph.type(product.inputs[1]).shape.size() != 2) return std::nullopt;
  const ValueId made = product.outputs.front();
  const auto readers = graph.consumers(made);
  if (readers.size() != 1 || graph.is_output(made)) return std::nullopt;
  const Node& reader = graph.node(readers.front());
  if (reader.op != Op::kAdd || reader.inputs[0] == reader.inputs[1]) return std::nullopt;
  const ValueId other = reader.inputs[reader.inputs[0] == made ? 1 : 0];
  if (!to.is_known(other) || graph.type(reader.outputs.front()) != graph.type(made)) return std::nullopt;
  const int tensor = to.known(other);
  const Extents& extents = to.extents(tensor);
  const std::int64_t columns = graph.type(made).shape.back().extent();
  if (extents.empty() || extents.back() != columns || product_of(extents) != columns) return std::nullopt;
  return Bias{&reader, tensor};
}

// One matrix on the right, as linear layers have it: what is multiplied by it is one matrix, too.
Status one_product(Lowering& to, const Node& node, int a, int b) {
  const Extents& inner = to.extents(b);
  const std::int64_t rows = product_of(to.extents(a)) / inner[0];
  a = to.reshaped(a, {rows, inner[0]});
  if (const auto bias = bias_behind(to, node)) {
    const int result = to.reshaped(to.out(*bias->node), {rows, to.extents(b)[1]});
    to.call(kProductAndAddend, {Ref{to.reshaped(bias->tensor, {to.extents(b)[1]})}, Ref{a}, Ref{b}, 1.0, 1.0, Ref{result}});
    to.skip(*bias->node);
    return {};
  }
  const int result = to.reshaped(to.out(node), {rows, to.extents(b)[1]});
  to.call(kProduct, {Ref{a}, Ref{b}, Ref{result}});
  return {};
}

Status multiply(Lowering& to, const Node& node) {
  int a = to.in(node, 0), b = to.in(node, 1);
  if (to.extents(a).size() == 1) a = to.reshaped(a, {1, to.extents(a)[0]});
  if (to.extents(b).size() == 1) b = to.reshaped(b, {to.extents(b)[0], 1});
  if (to.extents(b).size() == 2) return one_product(to, node, a, b);
  // Products of several matrices each, with what lies in front of them broadcast to one batch.
  const Extents of_a = to.extents(a), of_b = to.extents(b);
  const std::size_t rank = std::max(of_a.size(), of_b.size());
  const auto at = [rank](const Extents& extents, std::size_t i) {
    return i + extents.size() < rank ? std::int64_t{1} : extents[i + extents.size() - rank];
  };
  Extents batch;
  for (std::size_t i = 0; i + 2 < rank; ++i) batch.push_back(std::max(at(of_a, i), at(of_b, i)));
  const std::int64_t count = product_of(batch);
  const auto flat = [&](int number, const Extents& extents) {
    const std::int64_t rows = extents[extents.size() - 2], columns = extents.back();
    Extents all = batch;
    all.push_back(rows);
    all.push_back(columns);
    return to.reshaped(to.broadcast(number, all), {count, rows, columns});
  };
  a = flat(a, of_a);
  b = flat(b, of_b);
  const int result = to.reshaped(to.out(node), {count, of_a[of_a.size() - 2], of_b.back()});
  to.call(kProducts, {Ref{a}, Ref{b}, Ref{result}});
  return {};
}

Status gemm(Lowering& to, const Node& node) {
  const auto operand = [&](std::size_t i, const char* turned) {
    return node.attributes.integer(turned, 0) != 0 ? to.transposed(to.in(node, i), {1, 0}) : to.in(node, i);
  };
  const int a = operand(0, "transA"), b = operand(1, "transB");
  const double alpha = node.attributes.real("alpha", 1), beta = node.attributes.real("beta", 1);
  const int result = to.out(node);
  if (node.inputs.size() < 3 && alpha == 1) {
    to.call(kProduct, {Ref{a}, Ref{b}, Ref{result}});
    return {};
  }
  const bool adds = node.inputs.size() > 2;
  const int addend = adds ? to.in(node, 2) : to.number(to.tensor(a).dtype, 0, {1});
  to.call(kProductAndAddend, {Ref{addend}, Ref{a}, Ref{b}, adds ? beta : 0.0, alpha, Ref{result}});
  return {};
}

// [B,S,H·D] as [B,H,S,D]. What has four axes is so already.
int by_heads(Lowering& to, int number, std::int64_t heads) {
  const Extents extents = to.extents(number);
  if (extents.size() == 4) return number;
  return to.transposed(to.reshaped(number, {extents[0], extents[1], heads, extents[2] / heads}), {0, 2, 1, 3});
}

Status attend(Lowering& to, const Node& node) {
  const Attributes& attributes = node.attributes;
  if (attributes.real("softcap", 0) != 0) return not_taken("PyTorch has no soft cap");
  if (attributes.integer("qk_matmul_output_mode", 0) != 0) return not_taken("PyTorch returns no scores");
  const bool causal = attributes.integer("is_causal", 0) != 0, masked = node.inputs.size() > 3;
  if (causal && masked) return not_taken("PyTorch takes a mask or is_causal, not both");
  const std::int64_t heads = attributes.integer("q_num_heads", 1), shared = attributes.integer("kv_num_heads", 1);
  const int q = by_heads(to, to.in(node, 0), heads), k = by_heads(to, to.in(node, 1), shared),
            v = by_heads(to, to.in(node, 2), shared);
  Argument mask = None{};
  if (masked) {
    const DType dtype = to.tensor(to.in(node, 3)).dtype;
    if (dtype != DType::kBool && dtype != to.tensor(q).dtype) return not_taken("PyTorch takes a mask of the query's type");
    mask = Ref{to.in(node, 3)};
  }
  Argument scale = None{};
  if (attributes.has("scale")) scale = attributes.real("scale", 1);
  const bool groups = to.extents(q)[1] != to.extents(k)[1];
  to.call(kAttention, {Ref{q}, Ref{k}, Ref{v}, mask, 0.0, causal, scale, groups}, by_heads(to, to.out(node), heads));
  return {};
}

constexpr LoweringRow kContractionRows[] = {{Op::kMatMul, multiply}, {Op::kGemm, gemm}, {Op::kAttention, attend}};

}  // namespace

std::span<const LoweringRow> contraction_rows() {
  return kContractionRows;
}

}  // namespace fuselab::torch
