// SPDX-License-Identifier: Apache-2.0
#include "core/graph/op_attributes.h"

#include <map>

namespace fuselab {
namespace {

using enum AttributeKind;
using Schema = std::vector<AttributeInfo>;

AttributeInfo integer(std::string_view name, std::int64_t otherwise) {
  return {name, kInteger, false, otherwise};
}
AttributeInfo real(std::string_view name, double otherwise) {
  return {name, kReal, false, otherwise};
}
AttributeInfo text(std::string_view name, const char* otherwise) {
  return {name, kText, false, std::string(otherwise)};
}
AttributeInfo optional(std::string_view name, AttributeKind kind) {
  return {name, kind, false, std::nullopt};
}
AttributeInfo required(std::string_view name, AttributeKind kind) {
  return {name, kind, true, std::nullopt};
}

std::map<Op, Schema> make_schemas() {
  const Schema reduce = {optional("axes", kIntegers), integer("keepdims", 1), integer("noop_with_empty_axes", 0)};
  const Schema loss = {optional("ignore_index", kInteger), text("reduction", "mean")};
  const Schema place = {integer("axis", 0), integer("keepdims", 1), integer("select_last_index", 0)};
  const auto recurrence = [](const char* activations, Schema own) {
    Schema all = {text("direction", "forward"), text("activations", activations), text("operands", ""), optional("clip", kReal)};
    all.insert(all.end(), own.begin(), own.end());
    return all;
  };
  const Schema axis_last = {integer("axis", -1)};
  return {
      {Op::kLeakyRelu, {real("alpha", 0.01)}},
      {Op::kGelu, {text("approximate", "none")}},
      {Op::kSwish, {real("alpha", 1.0)}},
      {Op::kClip, {optional("min", kReal), optional("max", kReal)}},
      {Op::kCast, {required("to", kNumber), integer("saturate", 1)}},
      {Op::kIsInf, {integer("detect_negative", 1), integer("detect_positive", 1)}},
      {Op::kShrink, {real("bias", 0.0), real("lambd", 0.5)}},
      {Op::kThresholdedRelu, {real("alpha", 1.0)}},
      {Op::kMod, {integer("fmod", 0)}},
      {Op::kReduceSum, reduce},
      {Op::kReduceMean, reduce},
      {Op::kReduceMax, reduce},
      {Op::kReduceProd, reduce},
      {Op::kArgMax, place},
      {Op::kArgMin, place},
      {Op::kCumSum, {required("axis", kInteger), integer("exclusive", 0), integer("reverse", 0)}},
      {Op::kHardmax, axis_last},
      {Op::kTopK, {integer("axis", -1), required("k", kInteger), integer("largest", 1)}},
      {Op::kSoftmax, axis_last},
      {Op::kLogSoftmax, axis_last},
      {Op::kLayerNormalization, {integer("axis", -1), real("epsilon", 1e-5), integer("stash_type", 1)}},
      {Op::kRMSNormalization, {integer("axis", -1), real("epsilon", 1e-5), integer("stash_type", 1)}},
      {Op::kSoftmaxCrossEntropyLoss, loss},
      {Op::kNegativeLogLikelihoodLoss, loss},
      {Op::kGemm, {real("alpha", 1.0), real("beta", 1.0), integer("transA", 0), integer("transB", 0)}},
      {Op::kConv,
       {text("auto_pad", "NOTSET"), optional("dilations", kIntegers), integer("group", 1), optional("kernel_shape", kIntegers),
        optional("pads", kIntegers), optional("strides", kIntegers)}},
      {Op::kAttention,
       {integer("is_causal", 0), optional("kv_num_heads", kInteger), optional("q_num_heads", kInteger), optional("scale", kReal),
        real("softcap", 0.0), integer("qk_matmul_output_mode", 0), optional("softmax_precision", kInteger)}},
      {Op::kLSTM, recurrence("Sigmoid Tanh Tanh", {integer("input_forget", 0)})},
      {Op::kGRU, recurrence("Sigmoid Tanh", {integer("linear_before_reset", 0)})},
      {Op::kRNN, recurrence("Tanh", {})},
      {Op::kBatchNormalization, {real("epsilon", 1e-5), real("momentum", 0.9), integer("training_mode", 0)}},
      {Op::kMaxPool,
       {text("auto_pad", "NOTSET"), integer("ceil_mode", 0), optional("dilations", kIntegers), required("kernel_shape", kIntegers),
        optional("pads", kIntegers), integer("storage_order", 0), optional("strides", kIntegers)}},
      {Op::kAveragePool,
       {text("auto_pad", "NOTSET"), integer("ceil_mode", 0), integer("count_include_pad", 0), optional("dilations", kIntegers),
        required("kernel_shape", kIntegers), optional("pads", kIntegers), optional("strides", kIntegers)}},
      {Op::kRotaryEmbedding, {integer("interleaved", 0), integer("num_heads", 0), integer("rotary_embedding_dim", 0)}},
      {Op::kTranspose, {optional("perm", kIntegers)}},
      {Op::kReshape, {required("shape", kIntegers), integer("allowzero", 0)}},
      {Op::kFlatten, {integer("axis", 1)}},
      {Op::kUnsqueeze, {required("axes", kIntegers)}},
      {Op::kSqueeze, {optional("axes", kIntegers)}},
      {Op::kExpand, {required("shape", kIntegers)}},
      {Op::kConcat, {required("axis", kInteger)}},
      {Op::kSlice,
       {required("starts", kIntegers), required("ends", kIntegers), optional("axes", kIntegers), optional("steps", kIntegers)}},
      {Op::kSplit, {integer("axis", 0), optional("split", kIntegers), optional("num_outputs", kInteger)}},
      {Op::kGather, {integer("axis", 0)}},
      {Op::kTrilu, {integer("k", 0), integer("upper", 1)}},
      {Op::kPad, {text("mode", "constant"), required("pads", kIntegers), real("value", 0.0)}},
      {Op::kGatherElements, {integer("axis", 0)}},
      {Op::kGatherND, {integer("batch_dims", 0)}},
      {Op::kScatterElements, {integer("axis", 0), text("reduction", "none")}},
      {Op::kScatterND, {text("reduction", "none")}},
      {Op::kConstant, {required("value", kNumber), text("dtype", "f32")}},
  };
}

bool has_kind(const AttributeValue& value, AttributeKind kind) {
  const bool whole = std::holds_alternative<std::int64_t>(value);
  switch (kind) {
    case kInteger: return whole;
    case kReal: return whole || std::holds_alternative<double>(value);
    case kText: return std::holds_alternative<std::string>(value);
    case kIntegers: return std::holds_alternative<std::vector<std::int64_t>>(value);
    case kNumber: return whole || std::holds_alternative<double>(value) || std::holds_alternative<std::string>(value);
  }
  return false;
}

std::string_view kind_text(AttributeKind kind) {
  switch (kind) {
    case kInteger: return "an integer";
    case kReal: return "a real number";
    case kText: return "a string";
    case kIntegers: return "a list of integers";
    case kNumber: return "a number";
  }
  return "";
}

const AttributeInfo* find(std::span<const AttributeInfo> known, std::string_view name) {
  for (const AttributeInfo& info : known) {
    if (info.name == name) return &info;
  }
  return nullptr;
}

std::string quoted(std::string_view name) {
  return "attribute '" + std::string(name) + "'";
}

std::string list_of(std::span<const AttributeInfo> known) {
  std::string names;
  for (const AttributeInfo& info : known) names += (names.empty() ? "" : ", ") + std::string(info.name);
  return names.empty() ? "it has none" : "it has " + names;
}

// ONNX TensorProto.DataType.
std::optional<DType> dtype_of_onnx(std::int64_t code) {
  switch (code) {
    case 1: return DType::kF32;
    case 2: return DType::kU8;
    case 3: return DType::kI8;
    case 4: return DType::kU16;
    case 5: return DType::kI16;
    case 6: return DType::kI32;
    case 7: return DType::kI64;
    case 9: return DType::kBool;
    case 10: return DType::kF16;
    case 11: return DType::kF64;
    case 12: return DType::kU32;
    case 13: return DType::kU64;
    case 16: return DType::kBF16;
    case 17: return DType::kF8E4M3;
    case 19: return DType::kF8E5M2;
    case 21: return DType::kU4;
    case 22: return DType::kI4;
    default: return std::nullopt;
  }
}

// One spelling for values that may be written in two ways.
AttributeValue one_spelling(Op op, const AttributeInfo& info, const AttributeValue& value, const Attributes& all) {
  const auto* whole = std::get_if<std::int64_t>(&value);
  if (op == Op::kCast && whole) {
    if (const auto target = cast_target(all)) return std::string(name_of(*target));
  }
  if (op == Op::kConstant && info.kind == kNumber) {
    const bool floating = is_floating(parse_dtype(all.text("dtype", "f32")).value_or(DType::kF32));
    if (floating && whole) return static_cast<double>(*whole);
  }
  if (info.kind == kReal && whole) return static_cast<double>(*whole);
  return value;
}

}  // namespace

std::span<const AttributeInfo> attributes_of(Op op) {
  static const std::map<Op, Schema> kSchemas = make_schemas();
  const auto found = kSchemas.find(op);
  return found == kSchemas.end() ? std::span<const AttributeInfo>() : found->second;
}

Status check_attributes(Op op, const Attributes& attributes) {
  if (op == Op::kOpaque) return Status();
  const auto known = attributes_of(op);
  const std::string operator_name(name_of(op));
  for (const auto& [name, value] : attributes.values()) {
    const AttributeInfo* info = find(known, name);
    if (!info) return invalid_argument(operator_name + " has no " + quoted(name) + "; " + list_of(known));
    if (!has_kind(value, info->kind)) {
      return invalid_argument(operator_name + ": " + quoted(name) + " must be " + std::string(kind_text(info->kind)));
    }
  }
  for (const AttributeInfo& info : known) {
    if (info.required && !attributes.has(info.name)) {
      return invalid_argument(operator_name + " needs the " + quoted(info.name));
    }
  }
  return Status();
}

Attributes canonical_attributes(Op op, const Attributes& attributes) {
  if (op == Op::kOpaque) return attributes;
  Attributes canonical;
  for (const auto& [name, value] : attributes.values()) {
    const AttributeInfo* info = find(attributes_of(op), name);
    FL_ASSERT(info);
    AttributeValue spelled = one_spelling(op, *info, value, attributes);
    if (info->otherwise && *info->otherwise == spelled) continue;
    canonical.set(name, std::move(spelled));
  }
  return canonical;
}

std::optional<DType> cast_target(const Attributes& attributes) {
  if (const auto named = parse_dtype(attributes.text("to", ""))) return named;
  return dtype_of_onnx(attributes.integer("to", 0));
}

}  // namespace fuselab
