// SPDX-License-Identifier: Apache-2.0
#include "core/import/reader/node_import.h"

#include <algorithm>
#include <array>
#include <unordered_set>

#include "core/base/as_written.h"
#include "core/import/reader/node_attributes.h"
#include "core/ops/infer.h"

namespace fuselab::onnx {
namespace {

// Attributes of old operator sets and of training that do not change what inference computes, and those that translators read by
// themselves, in the operators that have them.
bool is_harmless(const std::string& name) {
  static constexpr std::array kNames = {"consumed_inputs",
                                        "is_test",
                                        "seed",
                                        "ratio",
                                        "momentum",
                                        "storage_order",
                                        "axis",
                                        "broadcast",
                                        "axes",
                                        "keepdims",
                                        "count_include_pad",
                                        "output_dtype",
                                        "left_window_size",
                                        "right_window_size"};
  return std::find(kNames.begin(), kNames.end(), name) != kNames.end();
}

// Attributes that are lists of integers, or integers, in every operator that has them.
bool is_list(const std::string& name) {
  static constexpr std::array kNames = {"axes",         "shape", "starts", "ends",    "steps",    "split",
                                        "kernel_shape", "perm",  "pads",   "strides", "dilations"};
  return std::find(kNames.begin(), kNames.end(), name) != kNames.end();
}

bool is_integer(const std::string& name) {
  static constexpr std::array kNames = {
      "axis",  "keepdims", "noop_with_empty_axes", "allowzero", "num_outputs", "group", "ceil_mode", "transA", "transB",
      "start", "end"};
  return std::find(kNames.begin(), kNames.end(), name) != kNames.end();
}

std::optional<AttributeValue> convert(const AttributeProto& attribute, AttributeKind kind) {
  switch (kind) {
    case AttributeKind::kInteger: return attribute.has_i() ? std::optional<AttributeValue>(attribute.i()) : std::nullopt;
    case AttributeKind::kReal:
      if (attribute.has_f()) return AttributeValue(as_written(attribute.f()));
      return attribute.has_i() ? std::optional<AttributeValue>(attribute.i()) : std::nullopt;
    case AttributeKind::kText: return attribute.has_s() ? std::optional<AttributeValue>(shown(attribute.s())) : std::nullopt;
    case AttributeKind::kIntegers:
      return AttributeValue(std::vector<std::int64_t>(attribute.ints().begin(), attribute.ints().end()));
    case AttributeKind::kNumber:
      if (attribute.has_i()) return AttributeValue(attribute.i());
      if (attribute.has_f()) return AttributeValue(static_cast<double>(attribute.f()));
      return std::nullopt;
  }
  return std::nullopt;
}

// Operands whose type is not that of the numbers: conditions, indices, labels, places, masks.
bool has_type_of_its_own(Op op, std::size_t i, DType dtype) {
  switch (op) {
    case Op::kWhere: return i == 0;
    case Op::kGather:
    case Op::kGatherElements:
    case Op::kGatherND:
    case Op::kScatterElements:
    case Op::kScatterND:
    case Op::kNegativeLogLikelihoodLoss:
    case Op::kSoftmaxCrossEntropyLoss: return i == 1;
    case Op::kRotaryEmbedding: return i == 3;
    // Operands that are not there are left out, so that the number does not say which one it is.
    case Op::kLSTM:
    case Op::kGRU:
    case Op::kRNN: return i > 2 && dtype == DType::kI32;
    case Op::kAttention: return i == 3 && dtype == DType::kBool;
    default: return false;
  }
}

// Operators whose numbers ONNX lets differ in type.
bool may_mix_types(Op op) {
  return op == Op::kRMSNormalization || op == Op::kAttention || op == Op::kBatchNormalization;
}

// Returns what an operator that does not fit its operands would give if their numbers were f32, in its own type: then ONNX's types
// reach further than Fuselab's, and nothing is wrong with the file. Returns nothing where it would not fit either.
std::optional<TensorType> result_of_other_types(Op op, std::vector<TensorType> types, const Attributes& attributes) {
  // ONNX: the type of the numbers, and of the scale where it may be another.
  const std::size_t giver = op == Op::kRMSNormalization || op == Op::kWhere ? 1 : 0;
  if (giver >= types.size()) return std::nullopt;
  const DType own = types[giver].dtype;
  std::optional<DType> first;
  for (std::size_t i = 0; i < types.size(); ++i) {
    if (has_type_of_its_own(op, i, types[i].dtype)) continue;
    if (types[i].dtype != first.value_or(types[i].dtype) && !may_mix_types(op)) return std::nullopt;
    first = first.value_or(types[i].dtype);
    types[i].dtype = DType::kF32;
  }
  const auto results = infer_types(op, types, attributes);
  if (!results.ok() || results.value().empty()) return std::nullopt;
  const TensorType& result = results.value().front();
  return TensorType{result.dtype == DType::kF32 ? own : result.dtype, result.shape};
}

bool has_symbol(const TensorType& type) {
  return !is_concrete(type.shape);
}

}  // namespace

std::size_t NodeImport::input_count() const {
  int count = node_.input_size();
  while (count > 0 && node_.input(count - 1).empty()) --count;
  return static_cast<std::size_t>(count);
}

const KnownTensor* NodeImport::known(std::size_t i) const {
  if (!has_input(i)) return nullptr;
  const auto& tensor = *scope_.find(name(i));
  return tensor.known ? &*tensor.known : nullptr;
}

std::optional<std::vector<std::int64_t>> NodeImport::integers(std::size_t i) const {
  const KnownTensor* tensor = known(i);
  return tensor != nullptr && tensor->shape.size() <= 1 ? tensor->plain_integers() : std::nullopt;
}

const std::vector<Dim>* NodeImport::dims(std::size_t i) const {
  const KnownTensor* tensor = known(i);
  return tensor != nullptr && tensor->shape.size() == 1 && !is_floating(tensor->dtype) ? &tensor->integers : nullptr;
}

std::vector<ValueId> NodeImport::values() {
  std::vector<ValueId> values;
  for (std::size_t i = 0; i < input_count(); ++i) values.push_back(value(i));
  return values;
}

const AttributeProto* NodeImport::attribute(const std::string& attribute_name) const {
  for (const auto& attribute : node_.attribute()) {
    if (attribute.name() == attribute_name) return &attribute;
  }
  return nullptr;
}

std::int64_t NodeImport::integer(const std::string& attribute_name, std::int64_t otherwise) const {
  const AttributeProto* found = attribute(attribute_name);
  return found != nullptr && found->has_i() ? found->i() : otherwise;
}

std::string NodeImport::text(const std::string& attribute_name, const std::string& otherwise) const {
  const AttributeProto* found = attribute(attribute_name);
  return found != nullptr && found->has_s() ? shown(found->s()) : otherwise;
}

std::optional<std::vector<std::int64_t>> NodeImport::integer_list(const std::string& attribute_name) const {
  const AttributeProto* found = attribute(attribute_name);
  if (found == nullptr) return std::nullopt;
  return std::vector<std::int64_t>(found->ints().begin(), found->ints().end());
}

Status NodeImport::check_attribute_kinds() const {
  std::unordered_set<std::string> seen;
  for (const auto& attribute : node_.attribute()) {
    const std::string label = "attribute '" + shown(attribute.name()) + "'";
    if (!seen.insert(attribute.name()).second) return invalid_argument(label + " is given twice");
    if (!attribute.has_type() || attribute.type() == AttributeProto::UNDEFINED) continue;
    const bool list = attribute.type() == AttributeProto::INTS;
    const bool single = attribute.type() == AttributeProto::INT;
    if (is_list(attribute.name()) && !list) return invalid_argument(label + " must be a list of integers");
    if (is_integer(attribute.name()) && !single) return invalid_argument(label + " must be an integer");
  }
  return Status();
}

Attributes NodeImport::attributes(std::span<const AttributeInfo> known, std::string& unknown) const {
  Attributes result;
  for (const auto& attribute : node_.attribute()) {
    const auto found =
        std::find_if(known.begin(), known.end(), [&](const AttributeInfo& info) { return info.name == attribute.name(); });
    if (found == known.end()) {
      if (!is_harmless(attribute.name()) && !is_internal_attribute(attribute.name())) unknown = shown(attribute.name());
      continue;
    }
    if (auto value = convert(attribute, found->kind)) {
      result.set(attribute.name(), std::move(*value));
    } else {
      unknown = shown(attribute.name());
    }
  }
  return result;
}

Result<NodeId> NodeImport::add(Op op, std::vector<ValueId> inputs, Attributes attributes) {
  if (const OpInfo& info = info_of(op); inputs.size() < static_cast<std::size_t>(info.min_inputs)) {
    return invalid_argument(std::string(info.name) + " needs " + std::to_string(info.min_inputs) + " operands, and has " +
                            std::to_string(inputs.size()));
  }
  FL_TRY_VOID(check_attributes(op, attributes));
  return imported_.graph().add_node(op, std::move(inputs), std::move(attributes));
}

Result<Translated> NodeImport::emit(Op op, std::vector<ValueId> inputs, const Attributes& attributes) {
  std::vector<TensorType> types;
  for (ValueId input : inputs) types.push_back(imported_.graph().type(input));
  const bool symbolic = std::any_of(types.begin(), types.end(), has_symbol);
  auto added = add(op, std::move(inputs), attributes);
  if (!added.ok()) {
    auto result = result_of_other_types(op, std::move(types), attributes);
    if (!symbolic && !result) return std::move(added).error();
    Translated barrier = Translated::opaque(added.error().message);
    barrier.result = std::move(result);
    return barrier;
  }
  Translated translated;
  translated.values = imported_.graph().node(added.value()).outputs;
  return translated;
}

}  // namespace fuselab::onnx
