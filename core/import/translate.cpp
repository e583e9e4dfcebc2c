// SPDX-License-Identifier: Apache-2.0
#include <unordered_map>

#include "core/import/node_import.h"

namespace fuselab::onnx {
namespace {

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
      {"Sum", translate_sum},
      {"Dropout", translate_dropout},
      {"ReduceSum", translate_reduce},
      {"ReduceMean", translate_reduce},
      {"ReduceMax", translate_reduce},
      {"Softmax", translate_softmax},
      {"LogSoftmax", translate_softmax},
      {"LayerNormalization", translate_direct},
      {"RMSNormalization", translate_direct},
      {"SoftmaxCrossEntropyLoss", translate_direct},
      {"MatMul", translate_direct},
      {"Attention", translate_direct},
      {"RotaryEmbedding", translate_direct},
      {"GlobalAveragePool", translate_direct},
      {"Transpose", translate_direct},
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
      {"ConstantOfShape", translate_filled},
      {"RandomNormal", translate_filled},
      {"RandomUniform", translate_filled},
      {"Shape", translate_shape},
  };
  return kTranslators;
}

}  // namespace

Result<Translated> translate(NodeImport& node) {
  const std::string& domain = node.proto().domain();
  if (!domain.empty() && domain != "ai.onnx") return Translated::opaque("its domain is not ONNX's own");
  const auto found = translators().find(node.op());
  if (found == translators().end()) return Translated::opaque("the operator is not known");
  return found->second(node);
}

}  // namespace fuselab::onnx
