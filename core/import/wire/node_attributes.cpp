// SPDX-License-Identifier: Apache-2.0
#include "core/import/wire/node_attributes.h"

#include <algorithm>
#include <charconv>
#include <iterator>

#include "onnx_subset.pb.h"

namespace fuselab::onnx {
namespace {

struct Row {
  std::string_view op;
  std::string_view attributes;
};

// The attributes of the operators that have a translator, as ONNX's operator schemas (1.23, opset 28) give them: `name:kind`, and
// `@first-last` where not every opset has it. Kinds: i f s t g one integer, real, text, tensor, graph; I F S lists of them; p a
// sparse tensor. An operator that is not here has none.
constexpr Row kRows[] = {
    {"Abs", "consumed_inputs:I@1-5"},
    {"Add", "axis:i@1-6 broadcast:i@1-6 consumed_inputs:I@1-5"},
    {"And", "axis:i@1-6 broadcast:i@1-6"},
    {"ArgMax", "axis:i keepdims:i select_last_index:i@12-"},
    {"ArgMin", "axis:i keepdims:i select_last_index:i@12-"},
    {"Attention",
     "is_causal:i kv_num_heads:i left_window_size:i@25- q_num_heads:i qk_matmul_output_mode:i "
     "right_window_size:i@25- scale:f softcap:f softmax_precision:i"},
    {"AveragePool", "auto_pad:s ceil_mode:i@10- count_include_pad:i@7- dilations:I@19- kernel_shape:I pads:I strides:I"},
    {"BatchNormalization", "consumed_inputs:I@1-5 epsilon:f is_test:i@1-6 momentum:f spatial:i@1-8 training_mode:i@14-"},
    {"BlackmanWindow", "output_datatype:i periodic:i"},
    {"Cast", "round_mode:s@24- saturate:i@19- to:i@6- to:s@1-5"},
    {"CastLike", "round_mode:s@24- saturate:i@19-"},
    {"Ceil", "consumed_inputs:I@1-5"},
    {"Celu", "alpha:f"},
    {"Clip", "consumed_inputs:I@1-5 max:f@1-10 min:f@1-10"},
    {"Concat", "axis:i"},
    {"Constant",
     "sparse_value:p@11- value:t value_float:f@12- value_floats:F@12- value_int:i@12- value_ints:I@12- "
     "value_string:s@12- value_strings:S@12-"},
    {"ConstantOfShape", "value:t"},
    {"Conv", "auto_pad:s dilations:I group:i kernel_shape:I pads:I strides:I"},
    {"ConvTranspose", "auto_pad:s dilations:I group:i kernel_shape:I output_padding:I output_shape:I pads:I strides:I"},
    {"CumSum", "exclusive:i reverse:i"},
    {"DepthToSpace", "blocksize:i mode:s@11-"},
    {"DequantizeLinear", "axis:i@13- block_size:i@21- output_dtype:i@23-"},
    {"Div", "axis:i@1-6 broadcast:i@1-6 consumed_inputs:I@1-5"},
    {"Dropout", "consumed_inputs:I@1-5 is_test:i@1-6 ratio:f@1-11 seed:i@12-"},
    {"Einsum", "equation:s"},
    {"Elu", "alpha:f consumed_inputs:I@1-5"},
    {"Equal", "axis:i@1-6 broadcast:i@1-6"},
    {"Exp", "consumed_inputs:I@1-5"},
    {"EyeLike", "dtype:i k:i"},
    {"Flatten", "axis:i"},
    {"Floor", "consumed_inputs:I@1-5"},
    {"GRU",
     "activation_alpha:F activation_beta:F activations:S clip:f direction:s hidden_size:i layout:i@14- "
     "linear_before_reset:i@3- output_sequence:i@1-6"},
    {"Gather", "axis:i"},
    {"GatherElements", "axis:i"},
    {"GatherND", "batch_dims:i@12-"},
    {"Gelu", "approximate:s"},
    {"Gemm", "alpha:f beta:f broadcast:i@1-6 transA:i transB:i"},
    {"GlobalLpPool", "p:f@1-1 p:i@2-"},
    {"Greater", "axis:i@1-6 broadcast:i@1-6"},
    {"GroupNormalization", "epsilon:f num_groups:i stash_type:i"},
    {"HammingWindow", "output_datatype:i periodic:i"},
    {"HannWindow", "output_datatype:i periodic:i"},
    {"HardSigmoid", "alpha:f beta:f consumed_inputs:I@1-5"},
    {"Hardmax", "axis:i"},
    {"If", "else_branch:g then_branch:g"},
    {"InstanceNormalization", "consumed_inputs:I@1-5 epsilon:f"},
    {"IsInf", "detect_negative:i detect_positive:i"},
    {"LRN", "alpha:f beta:f bias:f size:i"},
    {"LSTM",
     "activation_alpha:F activation_beta:F activations:S clip:f direction:s hidden_size:i input_forget:i "
     "layout:i@14- output_sequence:i@1-6"},
    {"LayerNormalization", "axis:i epsilon:f stash_type:i"},
    {"LeakyRelu", "alpha:f consumed_inputs:I@1-5"},
    {"Less", "axis:i@1-6 broadcast:i@1-6"},
    {"Log", "consumed_inputs:I@1-5"},
    {"LogSoftmax", "axis:i"},
    {"Loop", "body:g"},
    {"LpNormalization", "axis:i p:i"},
    {"LpPool", "auto_pad:s ceil_mode:i@18- dilations:I@18- kernel_shape:I p:f@1-1 p:i@2- pads:I strides:I"},
    {"Max", "consumed_inputs:I@1-5"},
    {"MaxPool", "auto_pad:s ceil_mode:i@10- dilations:I@10- kernel_shape:I pads:I storage_order:i@8- strides:I"},
    {"Mean", "consumed_inputs:I@1-5"},
    {"MeanVarianceNormalization", "axes:I"},
    {"Min", "consumed_inputs:I@1-5"},
    {"Mod", "fmod:i"},
    {"Mul", "axis:i@1-6 broadcast:i@1-6 consumed_inputs:I@1-5"},
    {"Neg", "consumed_inputs:I@1-5"},
    {"NegativeLogLikelihoodLoss", "ignore_index:i reduction:s"},
    {"OneHot", "axis:i"},
    {"Or", "axis:i@1-6 broadcast:i@1-6"},
    {"PRelu", "consumed_inputs:I@1-5"},
    {"Pad", "mode:s paddings:I@1-1 pads:I@2-10 value:f@1-10"},
    {"Pow", "axis:i@1-6 broadcast:i@1-6"},
    {"QuantizeLinear", "axis:i@13- block_size:i@21- output_dtype:i@21- precision:i@23- saturate:i@19-"},
    {"RMSNormalization", "axis:i epsilon:f stash_type:i"},
    {"RNN",
     "activation_alpha:F activation_beta:F activations:S clip:f direction:s hidden_size:i layout:i@14- "
     "output_sequence:i@1-6"},
    {"RandomNormal", "dtype:i mean:f scale:f seed:f shape:I"},
    {"RandomUniform", "dtype:i high:f low:f seed:f shape:I"},
    {"Range", "stash_type:i@27-"},
    {"Reciprocal", "consumed_inputs:I@1-5"},
    {"ReduceL1", "axes:I@1-17 keepdims:i noop_with_empty_axes:i@18-"},
    {"ReduceL2", "axes:I@1-17 keepdims:i noop_with_empty_axes:i@18-"},
    {"ReduceLogSum", "axes:I@1-17 keepdims:i noop_with_empty_axes:i@18-"},
    {"ReduceLogSumExp", "axes:I@1-17 keepdims:i noop_with_empty_axes:i@18-"},
    {"ReduceMax", "axes:I@1-17 keepdims:i noop_with_empty_axes:i@18-"},
    {"ReduceMean", "axes:I@1-17 keepdims:i noop_with_empty_axes:i@18-"},
    {"ReduceMin", "axes:I@1-17 keepdims:i noop_with_empty_axes:i@18-"},
    {"ReduceProd", "axes:I@1-17 keepdims:i noop_with_empty_axes:i@18-"},
    {"ReduceSum", "axes:I@1-12 keepdims:i noop_with_empty_axes:i@13-"},
    {"ReduceSumSquare", "axes:I@1-17 keepdims:i noop_with_empty_axes:i@18-"},
    {"Relu", "consumed_inputs:I@1-5"},
    {"Reshape", "allowzero:i@14- consumed_inputs:I@1-4 shape:I@1-4"},
    {"Resize",
     "antialias:i@18- axes:I@18- coordinate_transformation_mode:s@11- cubic_coeff_a:f@11- exclude_outside:i@11- "
     "extrapolation_value:f@11- keep_aspect_ratio_policy:s@18- mode:s nearest_mode:s@11-"},
    {"RotaryEmbedding", "interleaved:i num_heads:i rotary_embedding_dim:i"},
    {"Scatter", "axis:i"},
    {"ScatterElements", "axis:i reduction:s@16-"},
    {"ScatterND", "reduction:s@16-"},
    {"Selu", "alpha:f consumed_inputs:I@1-5 gamma:f"},
    {"Shape", "end:i@15- start:i@15-"},
    {"Shrink", "bias:f lambd:f"},
    {"Sigmoid", "consumed_inputs:I@1-5"},
    {"Slice", "axes:I@1-9 ends:I@1-9 starts:I@1-9"},
    {"Softmax", "axis:i"},
    {"SoftmaxCrossEntropyLoss", "ignore_index:i reduction:s"},
    {"SpaceToDepth", "blocksize:i mode:s@28-"},
    {"Split", "axis:i num_outputs:i@18- split:I@1-12"},
    {"Sqrt", "consumed_inputs:I@1-5"},
    {"Squeeze", "axes:I@1-12"},
    {"Sub", "axis:i@1-6 broadcast:i@1-6 consumed_inputs:I@1-5"},
    {"Sum", "consumed_inputs:I@1-5"},
    {"Swish", "alpha:f"},
    {"Tanh", "consumed_inputs:I@1-5"},
    {"TensorScatter", "axis:i mode:s"},
    {"ThresholdedRelu", "alpha:f"},
    {"TopK", "axis:i k:i@1-9 largest:i@11- sorted:i@11-"},
    {"Transpose", "perm:I"},
    {"Trilu", "upper:i"},
    {"Unsqueeze", "axes:I@1-12"},
    {"Upsample", "height_scale:f@1-6 mode:s scales:F@7-8 width_scale:f@1-6"},
    {"Xor", "axis:i@1-6 broadcast:i@1-6"},
};

constexpr int kNewest = 1 << 20;

int number_of(std::string_view text, int otherwise) {
  int number = otherwise;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

// One entry of a row.
struct Entry {
  std::string_view name;
  char kind = ' ';
  int first = 1;
  int last = kNewest;

  explicit Entry(std::string_view text) {
    const std::size_t colon = text.find(':'), at = text.find('@');
    name = text.substr(0, colon);
    kind = text[colon + 1];
    if (at == std::string_view::npos) return;
    const std::string_view opsets = text.substr(at + 1);
    const std::size_t dash = opsets.find('-');
    first = number_of(opsets.substr(0, dash), first);
    last = number_of(opsets.substr(dash + 1), kNewest);
  }
};

std::string_view kind_text(char kind) {
  switch (kind) {
    case 'i': return "an integer";
    case 'f': return "a real number";
    case 's': return "a text";
    case 't': return "a tensor";
    case 'g': return "a graph";
    case 'I': return "a list of integers";
    case 'F': return "a list of real numbers";
    case 'S': return "a list of texts";
    default: return "a sparse tensor";
  }
}

// Files before the types of attributes were written down do not say what theirs are: what they hold does. A whole number is no real
// one (ONNX's checker refuses it, too): whoever reads the real one finds its default.
bool is_of_kind(const AttributeProto& attribute, char kind) {
  if (!attribute.has_type() || attribute.type() == AttributeProto::UNDEFINED)
    return kind == 'f' ? attribute.has_f() : kind == 'i' ? attribute.has_i() : true;
  switch (kind) {
    case 'i': return attribute.type() == AttributeProto::INT;
    case 'f': return attribute.type() == AttributeProto::FLOAT;
    case 's': return attribute.type() == AttributeProto::STRING;
    case 't': return attribute.type() == AttributeProto::TENSOR;
    case 'g': return attribute.type() == AttributeProto::GRAPH;
    case 'I': return attribute.type() == AttributeProto::INTS;
    case 'F': return attribute.type() == AttributeProto::FLOATS;
    case 'S': return attribute.type() == AttributeProto::STRINGS;
    default: return attribute.type() == AttributeProto::SPARSE_TENSOR;
  }
}

std::string_view row_of(std::string_view op) {
  const auto found = std::find_if(std::begin(kRows), std::end(kRows), [&](const Row& row) { return row.op == op; });
  return found == std::end(kRows) ? std::string_view() : found->attributes;
}

// Returns whether an attribute is one that a converter may leave behind at a later opset, where the operator already does what it
// asks for: `consumed_inputs` was a remark about memory, `is_test` asks for inference, and at inference Dropout drops nothing
// whatever its ratio.
bool changes_nothing_later(const NodeProto& node, const AttributeProto& attribute, int opset, int last) {
  if (opset <= last) return false;
  if (attribute.name() == "consumed_inputs") return true;
  const bool trains = std::any_of(node.attribute().begin(), node.attribute().end(),
                                  [](const auto& each) { return each.name() == "training_mode" && each.i() != 0; });
  const bool may_train = trains || (node.op_type() == "Dropout" && node.input_size() > 2);
  if (attribute.name() == "is_test") return attribute.i() != 0 && !may_train;
  return attribute.name() == "ratio" && !may_train;
}

// "" or why this attribute is not understood.
std::string why_not(std::string_view row, const NodeProto& node, const AttributeProto& attribute, int opset) {
  const std::string label = "its attribute '" + shown(attribute.name()) + "'";
  bool other_opset = false;
  while (!row.empty()) {
    const std::size_t end = std::min(row.find(' '), row.size());
    const Entry entry(row.substr(0, end));
    row.remove_prefix(std::min(end + 1, row.size()));
    if (entry.name != attribute.name()) continue;
    other_opset = opset < entry.first || opset > entry.last;
    const bool stays = changes_nothing_later(node, attribute, opset, entry.last);
    if (other_opset && !stays) continue;
    return is_of_kind(attribute, entry.kind) ? "" : label + " is not " + std::string(kind_text(entry.kind));
  }
  return label + (other_opset ? " is not one of opset " + std::to_string(opset) : " is not known");
}

}  // namespace

bool is_internal_attribute(std::string_view name) {
  return name.starts_with("__");
}

std::string attribute_beyond_onnx(const NodeProto& node, int opset) {
  const std::string_view row = row_of(node.op_type());
  for (const auto& attribute : node.attribute()) {
    if (is_internal_attribute(attribute.name())) continue;
    if (std::string because = why_not(row, node, attribute, opset); !because.empty()) return because;
  }
  return "";
}

}  // namespace fuselab::onnx
