// SPDX-License-Identifier: Apache-2.0
#include "core/graph/infer.h"
#include "core/graph/infer_rules.h"
#include "core/graph/op_attributes.h"

namespace fuselab::infer {
namespace {

bool needs_floating(Op op) {
  switch (op) {
    case Op::kIdentity:
    case Op::kNeg:
    case Op::kAbs:
    case Op::kRelu:
    case Op::kClip:
    case Op::kSign:
    case Op::kCast: return false;
    default: return true;
  }
}

Result<Shape> broadcast_all(const Call& call) {
  Shape shape = call.shape(0);
  for (std::size_t i = 1; i < call.inputs.size(); ++i) {
    auto combined = broadcast_shapes(shape, call.shape(i));
    if (!combined.ok()) return failure(call, combined.error().message);
    shape = std::move(combined).value();
  }
  return shape;
}

Result<Types> unary(const Call& call) {
  if (call.op == Op::kIdentity) return Types{call.inputs[0]};
  if (call.op == Op::kCast) {
    const auto target = cast_target(call.attributes);
    if (!target) return failure(call, "'to' names no element type; write for instance to=\"f16\"");
    return Types{{*target, call.shape(0)}};
  }
  if (needs_floating(call.op)) FL_TRY_VOID(require_floating(call));
  if (call.dtype() == DType::kBool) return failure(call, "needs numbers, got bool");
  if (call.op == Op::kGelu) {
    const std::string form = call.attributes.text("approximate", "none");
    if (form != "none" && form != "tanh") return failure(call, "approximate must be \"none\" or \"tanh\", got \"" + form + "\"");
  }
  if (call.op == Op::kIsNaN || call.op == Op::kIsInf) return Types{{DType::kBool, call.shape(0)}};
  return Types{call.inputs[0]};
}

Result<Types> where(const Call& call) {
  if (call.dtype(0) != DType::kBool) return failure(call, "the condition must be bool");
  if (call.dtype(1) != call.dtype(2)) return failure(call, "both choices must have one element type");
  FL_TRY(Shape shape, broadcast_all(call));
  return Types{{call.dtype(1), std::move(shape)}};
}

// ONNX compares bools for equality only.
Result<Types> comparison(const Call& call) {
  FL_TRY_VOID(require_same_dtype(call));
  if (call.op != Op::kEqual && call.dtype() == DType::kBool) return failure(call, "needs numbers, got bool");
  FL_TRY(Shape shape, broadcast_all(call));
  return Types{{DType::kBool, std::move(shape)}};
}

Result<Types> logic(const Call& call) {
  for (const TensorType& type : call.inputs) {
    if (type.dtype != DType::kBool) return failure(call, "needs bool, got " + std::string(name_of(type.dtype)));
  }
  FL_TRY(Shape shape, broadcast_all(call));
  return Types{{DType::kBool, std::move(shape)}};
}

}  // namespace

Result<Types> elementwise(const Call& call) {
  if (call.op == Op::kWhere) return where(call);
  if (is_comparison(call.op)) return comparison(call);
  if (is_logic(call.op)) return logic(call);
  if (info_of(call.op).max_inputs == 1) return unary(call);
  // ONNX lets the exponent of Pow differ in type from its base.
  if (call.op != Op::kPow) FL_TRY_VOID(require_same_dtype(call));
  for (const TensorType& type : call.inputs) {
    if (type.dtype == DType::kBool) return failure(call, "needs numbers, got bool");
  }
  if (call.op == Op::kMod && is_floating(call.dtype()) && call.attributes.integer("fmod", 0) == 0) {
    return failure(call, "of reals needs fmod=1");
  }
  FL_TRY(Shape shape, broadcast_all(call));
  return Types{{call.dtype(), std::move(shape)}};
}

}  // namespace fuselab::infer
