// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <unordered_map>

#include "core/import/nodes/composed_operators.h"
#include "core/import/nodes/translate.h"
#include "core/import/wire/node_attributes.h"

namespace fuselab::onnx {
namespace {

// An If whose condition is known is read as the branch that it takes, and does not come here.
Result<Translated> translate_undecided_if(NodeImport& node) {
  if (node.input_count() != 1 || (node.known(0) != nullptr && node.known(0)->scalar()))
    return Translated::opaque("its condition is no single bool, or the branch that it takes is not there");
  return Translated::opaque("which of its branches it takes is computed");
}

// A Loop with a body is written out or made a barrier before it comes here.
Result<Translated> translate_loop_without_body(NodeImport&) {
  return Translated::opaque("its body is not there");
}

using Translator = Result<Translated> (*)(NodeImport&);

const std::unordered_map<std::string, Translator>& translators() {
  static const std::unordered_map<std::string, Translator> kTranslators = {
      {"Identity", translate_elementwise},
      {"Neg", translate_elementwise},
      {"Abs", translate_elementwise},
      {"Exp", translate_elementwise},
      {"Log", translate_elementwise},
      {"Sqrt", translate_elementwise},
      {"Reciprocal", translate_elementwise},
      {"Erf", translate_elementwise},
      {"Tanh", translate_elementwise},
      {"Sigmoid", translate_elementwise},
      {"Relu", translate_elementwise},
      {"LeakyRelu", translate_elementwise},
      {"Gelu", translate_elementwise},
      {"Swish", translate_elementwise},
      {"Add", translate_elementwise},
      {"Sub", translate_elementwise},
      {"Mul", translate_elementwise},
      {"Div", translate_elementwise},
      {"Pow", translate_elementwise},
      {"Min", translate_elementwise},
      {"Max", translate_elementwise},
      {"Where", translate_elementwise},
      {"Clip", translate_clip},
      {"Cast", translate_cast},
      {"Dropout", translate_dropout},
      {"ReduceSum", translate_reduce},
      {"ReduceMean", translate_reduce},
      {"ReduceMax", translate_reduce},
      {"Softmax", translate_softmax},
      {"LogSoftmax", translate_softmax},
      {"LayerNormalization", translate_layer_norm},
      {"RMSNormalization", translate_direct},
      {"SoftmaxCrossEntropyLoss", translate_cross_entropy},
      {"MatMul", translate_direct},
      {"Attention", translate_attention},
      {"RotaryEmbedding", translate_direct},
      {"GlobalAveragePool", translate_direct},
      {"Transpose", translate_transpose},
      {"Flatten", translate_direct},
      {"BatchNormalization", translate_batch_norm},
      {"Conv", translate_window},
      {"MaxPool", translate_window},
      {"AveragePool", translate_window},
      {"Gemm", translate_gemm},
      {"Reshape", translate_reshape},
      {"Squeeze", translate_axes_view},
      {"Unsqueeze", translate_axes_view},
      {"Expand", translate_expand},
      {"Slice", translate_slice},
      {"Split", translate_split},
      {"Concat", translate_concat},
      {"Gather", translate_gather},
      {"Constant", translate_constant},
      {"ConstantOfShape", translate_constant_of_shape},
      {"RandomNormal", translate_random},
      {"RandomUniform", translate_random},
      {"Shape", translate_shape},
      // Our own operators of the same name, by family.
      {"Equal", translate_elementwise},
      {"Less", translate_elementwise},
      {"Greater", translate_elementwise},
      {"LessOrEqual", translate_elementwise},
      {"GreaterOrEqual", translate_elementwise},
      {"And", translate_elementwise},
      {"Or", translate_elementwise},
      {"Xor", translate_elementwise},
      {"Not", translate_elementwise},
      {"Sin", translate_elementwise},
      {"Cos", translate_elementwise},
      {"Tan", translate_elementwise},
      {"Asin", translate_elementwise},
      {"Acos", translate_elementwise},
      {"Atan", translate_elementwise},
      {"Sinh", translate_elementwise},
      {"Cosh", translate_elementwise},
      {"Asinh", translate_elementwise},
      {"Acosh", translate_elementwise},
      {"Atanh", translate_elementwise},
      {"Floor", translate_elementwise},
      {"Ceil", translate_elementwise},
      {"Round", translate_elementwise},
      {"Sign", translate_elementwise},
      {"IsNaN", translate_elementwise},
      {"IsInf", translate_elementwise},
      {"Shrink", translate_elementwise},
      {"ThresholdedRelu", translate_elementwise},
      {"Mod", translate_elementwise},
      {"ReduceProd", translate_reduce},
      {"ArgMax", translate_direct},
      {"ArgMin", translate_direct},
      {"CumSum", translate_cumsum},
      {"Hardmax", translate_softmax},
      {"NegativeLogLikelihoodLoss", translate_direct},
      {"Trilu", translate_trilu},
      {"TopK", translate_top_k},
      {"Pad", translate_pad},
      {"GatherElements", translate_direct},
      {"GatherND", translate_direct},
      {"Scatter", translate_direct},
      {"ScatterElements", translate_direct},
      {"ScatterND", translate_direct},
      {"LSTM", translate_recurrence},
      {"GRU", translate_recurrence},
      {"RNN", translate_recurrence},
      {"If", translate_undecided_if},
      {"Loop", translate_loop_without_body},
      // These become several of Fuselab's operators, and operands may be left out in the middle.
      {"Resize", translate_resize},
      {"Upsample", translate_resize},
  };
  return kTranslators;
}

// More would be more buffers than a generated kernel has arguments.
constexpr std::size_t kMostInAKernel = 1024;

// Operands that must be there, and none left out in the middle where the operator has no optional ones.
Status check_operands(const NodeImport& node) {
  const auto op = parse_op(node.op());
  const bool folds = node.op() == "Dropout" || node.op() == "Shape" || node.op() == "ConstantOfShape";
  const auto needed = static_cast<std::size_t>(op ? info_of(*op).min_inputs : (folds ? 1 : 0));
  const bool optional_ones = node.op() == "Clip" || node.op() == "Slice" || node.op() == "Dropout" || node.op() == "Attention" ||
                             node.op() == "Pad" || node.op() == "Trilu" || node.op() == "Resize" || (op && is_recurrence(*op));
  for (std::size_t i = 0; i < std::max(needed, node.input_count()); ++i) {
    if (node.has_input(i) || (optional_ones && i >= needed)) continue;
    return invalid_argument(node.op() + " lacks operand " + std::to_string(i));
  }
  return Status();
}

Result<Translated> translate_composed(NodeImport& node, const ComposedOperator& composed) {
  for (std::size_t i = 0; i < std::max(composed.least_operands, node.input_count()); ++i) {
    if (!node.has_input(i)) return invalid_argument(node.op() + " lacks operand " + std::to_string(i));
  }
  if (node.input_count() > composed.most_operands) {
    return Translated::opaque("it has " + std::to_string(node.input_count()) + " operands");
  }
  return composed.translate(node);
}

}  // namespace

Result<Translated> translate(NodeImport& node) {
  const std::string& domain = node.proto().domain();
  if (!domain.empty() && domain != "ai.onnx") return Translated::opaque("its domain is not ONNX's own");
  if (node.opset() == 0) return Translated::opaque("the file declares no version of ONNX's own operators (opset_import)");
  const ComposedOperator* composed = find_composed(node.op());
  const auto found = translators().find(node.op());
  if (composed == nullptr && found == translators().end()) return Translated::opaque("the operator is not known");
  if (const std::size_t count = node.input_count(); count > kMostInAKernel)
    return Translated::opaque("it has " + std::to_string(count) + " operands");
  FL_TRY_VOID(node.check_attribute_kinds());
  if (std::string because = attribute_beyond_onnx(node.proto(), node.opset()); !because.empty())
    return Translated::opaque(std::move(because));
  if (composed != nullptr) return translate_composed(node, *composed);
  FL_TRY_VOID(check_operands(node));
  return found->second(node);
}

}  // namespace fuselab::onnx
