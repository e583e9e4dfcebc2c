// SPDX-License-Identifier: Apache-2.0
#include "core/ops/op_row.h"

namespace fuselab::ops {
namespace {

using enum AccessPattern;
using enum AttributeKind;
using enum OperandRole;

Result<Types> constant(const Call& call) {
  const auto dtype = parse_dtype(call.attributes.text("dtype", "f32"));
  if (!dtype) return failure(call, "unknown dtype '" + call.attributes.text("dtype", "") + "'");
  const AttributeValue& value = call.attributes.values().at("value");
  if (std::holds_alternative<std::string>(value)) return failure(call, "'value' must be a number");
  if (!is_floating(*dtype) && std::holds_alternative<double>(value)) {
    return failure(call, "a constant of type " + std::string(name_of(*dtype)) + " needs an integer value");
  }
  return Types{{*dtype, {}}};
}

Result<Types> opaque(const Call& call) {
  return failure(call, "its types cannot be inferred; use add_opaque");
}

Schema constant_attributes() {
  return {required("value", kNumber), text("dtype", "f32")};
}

}  // namespace

constexpr Family<Op::kConstant, kEndOfOps> kLeaves({
    // {name, access, least and most operands, FLOPs}, types, weight, attributes, FLOPs by formula, roles of operands
    {{Op::kConstant, "Constant", kLeaf, 0, 0, 0}, constant, 16, constant_attributes},
    {{Op::kOpaque, "Opaque", kOpaque, 0, -1, 0}, opaque},
});

}  // namespace fuselab::ops
