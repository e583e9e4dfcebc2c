// SPDX-License-Identifier: Apache-2.0
// Operators of the domain com.microsoft, as ONNX Runtime's own optimisations and tools leave them in a model.
// Sources: ONNX Runtime's ContribOperators.md, 1.32.
#include <algorithm>

#include "core/import/compositions/quantised_numbers.h"
#include "core/import/compositions/window_attributes.h"
#include "core/import/nodes/operators.h"
#include "core/ops/op_attributes.h"
#include "onnx_subset.pb.h"

namespace fuselab::onnx {
namespace {

using Term = Composition::Term;

// Gelu of operand 0, plus a bias where there is one.
Result<Translated> translate_gelu(NodeImport& node) {
  const TensorType& type = node.type(0);
  Composition graph(node, type);
  Term x = graph.operand(0);
  if (node.has_input(1)) x = graph.apply(Op::kAdd, {x, graph.operand(1)});
  const std::string form = node.op() == "FastGelu" ? "tanh" : "none";
  return graph.finish(graph.apply(Op::kGelu, {x}, {{"approximate", form}}));
}

Result<Translated> translate_quick_gelu(NodeImport& node) {
  std::string unknown;
  const Attributes attributes = attributes_by_row(node, unknown);
  if (!unknown.empty()) return Translated::unknown_attribute(unknown);
  const TensorType& type = node.type(0);
  Composition graph(node, type);
  const Term x = graph.operand(0);
  const Term scaled = graph.apply(Op::kMul, {x, graph.number(attributes.real("alpha", 1.702), type.dtype)});
  return graph.finish(graph.apply(Op::kMul, {x, graph.apply(Op::kSigmoid, {scaled})}));
}

// Exchanges the last two axes. A vector stays what it is.
Term turned(Composition& graph, Term matrix, std::size_t rank) {
  if (rank < 2) return matrix;
  std::vector<std::int64_t> perm(rank);
  for (std::size_t i = 0; i < rank; ++i) perm[i] = static_cast<std::int64_t>(i);
  std::swap(perm[rank - 2], perm[rank - 1]);
  return graph.transpose(matrix, perm);
}

Term activated(Composition& graph, Term x, const std::string& name, const std::vector<double>& with) {
  const auto parameter = [&](std::size_t i, double otherwise) { return i < with.size() ? with[i] : otherwise; };
  const auto clip = [&](Term term, double least, double most) {
    return graph.apply(Op::kClip, {term}, {{"min", least}, {"max", most}});
  };
  if (name.empty()) return x;
  if (name == "Relu" || name == "Tanh" || name == "Sigmoid") return graph.apply(*parse_op(name), {x});
  if (name == "LeakyRelu") return graph.apply(Op::kLeakyRelu, {x}, {{"alpha", parameter(0, 0.01)}});
  if (name == "Clip" && with.size() == 2) return clip(x, with[0], with[1]);
  if (name == "HardSigmoid" && graph.fits()) {
    const DType dtype = graph.type(x).dtype;
    const Term line = graph.apply(Op::kMul, {x, graph.number(parameter(0, 0.2), dtype)});
    return clip(graph.apply(Op::kAdd, {line, graph.number(parameter(1, 0.5), dtype)}), 0, 1);
  }
  graph.fail("its activation '" + name + "' is not known");
  return x;
}

Result<Translated> translate_fused_matmul(NodeImport& node) {
  if (node.integer("transBatchA", 0) != 0 || node.integer("transBatchB", 0) != 0)
    return Translated::opaque("it exchanges axes of its batch");
  std::string unknown;
  const Attributes attributes = attributes_by_row(node, unknown);
  if (!unknown.empty()) return Translated::unknown_attribute(unknown);
  Composition graph(node);
  const auto side = [&](std::size_t operand, const char* is_turned) {
    const Term matrix = graph.operand(operand);
    return node.integer(is_turned, 0) != 0 ? turned(graph, matrix, node.type(operand).shape.size()) : matrix;
  };
  const Term left = side(0, "transA");
  Term result = graph.apply(Op::kMatMul, {left, side(1, "transB")});
  const double alpha = attributes.real("alpha", 1);
  if (alpha != 1) result = graph.apply(Op::kMul, {result, graph.number(alpha, node.type(0).dtype)});
  return graph.finish(result);
}

Result<Translated> translate_fused_gemm(NodeImport& node) {
  std::string unknown;
  const Attributes all = attributes_by_row(node, unknown);
  if (!unknown.empty()) return Translated::unknown_attribute(unknown);
  Attributes gemm;
  for (const char* const name : {"alpha", "beta"}) {
    if (all.has(name)) gemm.set(name, all.real(name, 1));
  }
  for (const char* const name : {"transA", "transB"}) {
    if (all.has(name)) gemm.set(name, all.integer(name, 0));
  }
  if (node.text("activation", "") == "Clip" && !(all.has("activation_alpha") && all.has("activation_beta")))
    return Translated::opaque("its activation 'Clip' lacks a bound");
  if (all.has("activation_gamma")) return Translated::opaque("its activation has a third parameter");
  const bool hard = node.text("activation", "") == "HardSigmoid";
  const std::vector<double> with = {all.real("activation_alpha", hard ? 0.2 : 0.01), all.real("activation_beta", hard ? 0.5 : 0)};
  Composition graph(node);
  std::vector<Term> operands;
  for (std::size_t i = 0; i < node.input_count(); ++i) operands.push_back(graph.operand(i));
  return graph.finish(activated(graph, graph.apply(Op::kGemm, operands, gemm), node.text("activation", ""), with));
}

// A convolution, plus a tensor of its result's shape, and an activation.
Result<Translated> translate_fused_conv(NodeImport& node) {
  std::string others;  // the activation and its parameters
  Attributes window = node.attributes(attributes_of(Op::kConv), others);
  FL_TRY(std::string because, write_padding(node, window));
  if (!because.empty()) return Translated::opaque(std::move(because));
  Composition graph(node);
  std::vector<Term> operands{graph.operand(0), graph.operand(1)};
  if (node.has_input(2)) operands.push_back(graph.operand(2));
  Term result = graph.apply(Op::kConv, operands, window);
  if (node.has_input(3)) {
    const Term sum = graph.apply(Op::kAdd, {result, graph.operand(3)});
    if (graph.fits() && graph.type(sum).shape != graph.type(result).shape)
      graph.fail("its sum " + type_text(node.type(3)) + " does not fit the convolution");
    result = sum;
  }
  std::vector<double> with;
  if (const AttributeProto* const given = node.attribute("activation_params"); given != nullptr)
    with.assign(given->floats().begin(), given->floats().end());
  return graph.finish(activated(graph, result, node.text("activation", ""), with));
}

// The sum of two tensors and a bias, normalised by its last axis. The sum is the fourth result.
Result<Translated> translate_skip_norm(NodeImport& node) {
  std::string unknown;
  const Attributes attributes = attributes_by_row(node, unknown);
  if (!unknown.empty()) return Translated::unknown_attribute(unknown);
  if (node.uses_output(1) || node.uses_output(2)) return Translated::opaque("its mean or its deviation is read");
  const bool simplified = node.op() == "SkipSimplifiedLayerNormalization";
  const TensorType& type = node.type(0);
  Composition graph(node, type);
  Term sum = graph.apply(Op::kAdd, {graph.operand(0), graph.operand(1)});
  const std::size_t bias = simplified ? 3 : 4;
  if (node.has_input(bias)) sum = graph.apply(Op::kAdd, {sum, graph.operand(bias)});
  std::vector<Term> operands{sum, graph.operand(2)};
  if (!simplified && node.has_input(3)) operands.push_back(graph.operand(3));
  const Attributes norm{{"axis", std::int64_t{-1}}, {"epsilon", attributes.real("epsilon", 1e-12)}};
  const Term result = graph.apply(simplified ? Op::kRMSNormalization : Op::kLayerNormalization, operands, norm);
  // Nothing reads the two between them.
  return graph.finish(node.uses_output(3) ? std::vector<Term>{result, result, result, sum} : std::vector<Term>{result});
}

bool is_one_number(const TensorType& type) {
  return std::all_of(type.shape.begin(), type.shape.end(), [](const Dim& dim) { return dim == Dim(1); }) && type.shape.size() < 2;
}

// Two quantised tensors, each less its zero point times its scale, added or multiplied, and quantised.
Result<Translated> translate_qlinear_pair(NodeImport& node) {
  // Zero points may be left out.
  for (const std::size_t i : {3, 4, 6}) {
    if (!node.has_input(i)) return invalid_argument(node.op() + " lacks operand " + std::to_string(i));
  }
  for (const std::size_t i : {1, 2, 4, 5, 6, 7}) {
    if (node.has_input(i) && !is_one_number(node.type(i)))
      return Translated::opaque("its scale or zero point " + type_text(node.type(i)) + " is no single number");
  }
  Composition graph(node);
  const auto less = [&](Term number, std::size_t zero, Op op) {
    if (!node.has_input(zero) || is_known_zero(node.known(zero))) return number;
    return graph.apply(op, {number, graph.cast(graph.operand(zero), DType::kF32)});
  };
  const auto real = [&](std::size_t operand) {
    return graph.apply(Op::kMul,
                       {less(graph.cast(graph.operand(operand), DType::kF32), operand + 2, Op::kSub), graph.operand(operand + 1)});
  };
  const Term left = real(0);
  const Term both = graph.apply(node.op() == "QLinearAdd" ? Op::kAdd : Op::kMul, {left, real(3)});
  const Term steps = graph.apply(Op::kRound, {graph.apply(Op::kDiv, {both, graph.operand(6)})});
  return graph.finish(saturated(graph, less(steps, 7, Op::kAdd), node.type(0).dtype));
}

}  // namespace

Rows contributed_rows() {
  static constexpr OperatorRow kRows[] = {
      {"com.microsoft.BiasGelu", translate_gelu, "", Operands::exactly(2)},
      {"com.microsoft.FastGelu", translate_gelu, "", Operands::between(1, 2)},
      {"com.microsoft.FusedConv",
       translate_fused_conv,
       "activation:s activation_params:F auto_pad:s dilations:I group:i kernel_shape:I pads:I strides:I",
       {2, 4, true}},
      {"com.microsoft.FusedGemm", translate_fused_gemm,
       "activation:s activation_alpha:f activation_beta:f activation_gamma:f alpha:f beta:f transA:i transB:i",
       Operands::between(2, 3)},
      {"com.microsoft.FusedMatMul", translate_fused_matmul, "alpha:f transA:i transB:i transBatchA:i transBatchB:i",
       Operands::exactly(2)},
      {"com.microsoft.Gelu", translate_gelu, "", Operands::exactly(1)},
      {"com.microsoft.QLinearAdd", translate_qlinear_pair, "", {2, 8, true}},
      {"com.microsoft.QLinearMul", translate_qlinear_pair, "", {2, 8, true}},
      {"com.microsoft.QuickGelu", translate_quick_gelu, "alpha:f", Operands::exactly(1)},
      {"com.microsoft.SkipLayerNormalization", translate_skip_norm, "epsilon:f", {3, 5, true}},
      {"com.microsoft.SkipSimplifiedLayerNormalization", translate_skip_norm, "epsilon:f", {3, 4, true}},
  };
  return kRows;
}

}  // namespace fuselab::onnx
