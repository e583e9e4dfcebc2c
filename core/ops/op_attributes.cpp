// SPDX-License-Identifier: Apache-2.0
#include "core/ops/op_attributes.h"

#include <array>

#include "core/ops/op_row.h"

namespace fuselab {
namespace {

using enum AttributeKind;
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
  static const auto kSchemas = [] {
    std::array<ops::Schema, static_cast<std::size_t>(kEndOfOps)> all;
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (const auto make = ops::row_of(static_cast<Op>(i)).attributes) all[i] = make();
    }
    return all;
  }();
  return kSchemas[static_cast<std::size_t>(op)];
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
