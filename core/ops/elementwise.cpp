// SPDX-License-Identifier: Apache-2.0
#include "core/ops/infer.h"
#include "core/ops/op_row.h"

namespace fuselab::ops {
namespace {

using enum AccessPattern;
using enum AttributeKind;
using enum OperandRole;

Result<Shape> broadcast_all(const Call& call) {
  Shape shape = call.shape(0);
  for (std::size_t i = 1; i < call.inputs.size(); ++i) {
    auto combined = broadcast_shapes(shape, call.shape(i));
    if (!combined.ok()) return failure(call, combined.error().message);
    shape = std::move(combined).value();
  }
  return shape;
}

Status require_numbers(const Call& call) {
  for (const TensorType& type : call.inputs) {
    if (type.dtype == DType::kBool) return failure(call, "needs numbers, got bool");
  }
  return Status();
}

Result<Types> identity(const Call& call) {
  return Types{call.inputs[0]};
}

Result<Types> numbers(const Call& call) {
  FL_TRY_VOID(require_numbers(call));
  return Types{call.inputs[0]};
}

Result<Types> reals(const Call& call) {
  FL_TRY_VOID(require_floating(call));
  return Types{call.inputs[0]};
}

Result<Types> reals_to_bool(const Call& call) {
  FL_TRY_VOID(require_floating(call));
  return Types{{DType::kBool, call.shape(0)}};
}

Result<Types> cast(const Call& call) {
  const auto target = cast_target(call.attributes);
  if (!target) return failure(call, "'to' names no element type; write for instance to=\"f16\"");
  return Types{{*target, call.shape(0)}};
}

Result<Types> gelu(const Call& call) {
  FL_TRY_VOID(require_floating(call));
  const std::string form = call.attributes.text("approximate", "none");
  if (form != "none" && form != "tanh") return failure(call, "approximate must be \"none\" or \"tanh\", got \"" + form + "\"");
  return Types{call.inputs[0]};
}

// ONNX lets the exponent of Pow differ in type from its base.
Result<Types> power(const Call& call) {
  FL_TRY_VOID(require_numbers(call));
  FL_TRY(Shape shape, broadcast_all(call));
  return Types{{call.dtype(), std::move(shape)}};
}

Result<Types> arithmetic(const Call& call) {
  FL_TRY_VOID(require_same_dtype(call));
  return power(call);
}

// The bits of whole numbers.
Result<Types> bits(const Call& call) {
  FL_TRY_VOID(require_same_dtype(call));
  if (is_floating(call.dtype())) return failure(call, "needs whole numbers, got " + std::string(name_of(call.dtype())));
  return power(call);
}

Result<Types> modulo(const Call& call) {
  FL_TRY_VOID(require_same_dtype(call));
  FL_TRY_VOID(require_numbers(call));
  if (is_floating(call.dtype()) && call.attributes.integer("fmod", 0) == 0) return failure(call, "of reals needs fmod=1");
  return power(call);
}

Result<Types> where(const Call& call) {
  if (call.dtype(0) != DType::kBool) return failure(call, "the condition must be bool");
  if (call.dtype(1) != call.dtype(2)) return failure(call, "both choices must have one element type");
  FL_TRY(Shape shape, broadcast_all(call));
  return Types{{call.dtype(1), std::move(shape)}};
}

Result<Types> equality(const Call& call) {
  FL_TRY_VOID(require_same_dtype(call));
  FL_TRY(Shape shape, broadcast_all(call));
  return Types{{DType::kBool, std::move(shape)}};
}

// ONNX compares bools for equality only.
Result<Types> comparison(const Call& call) {
  FL_TRY_VOID(require_same_dtype(call));
  if (call.dtype() == DType::kBool) return failure(call, "needs numbers, got bool");
  return equality(call);
}

Result<Types> logic(const Call& call) {
  for (const TensorType& type : call.inputs) {
    if (type.dtype != DType::kBool) return failure(call, "needs bool, got " + std::string(name_of(type.dtype)));
  }
  FL_TRY(Shape shape, broadcast_all(call));
  return Types{{DType::kBool, std::move(shape)}};
}

// 0.5·x·(1+erf(x/√2)): 5; 0.5·x·(1+tanh(√(2/π)·(x+0.044715·x³))): 9.
double gelu_flops(const Call& call, const TensorType& result) {
  return (call.attributes.text("approximate", "none") == "tanh" ? 9 : 5) * elements(result);
}

double fold_flops(const Call& call, const TensorType& result) {
  return static_cast<double>(call.inputs.size() - 1) * elements(result);
}

Schema clip_attributes() {
  return {optional("min", kReal), optional("max", kReal)};
}

Schema cast_attributes() {
  return {required("to", kNumber), integer("saturate", 1)};
}

Schema is_inf_attributes() {
  return {integer("detect_negative", 1), integer("detect_positive", 1)};
}

Schema shrink_attributes() {
  return {real("bias", 0.0), real("lambd", 0.5)};
}

}  // namespace

constexpr Family<Op::kIdentity, Op::kReduceSum> kElementwise({
    // {name, access, least and most operands, FLOPs}, types, weight, attributes, FLOPs by formula, roles of operands
    {{Op::kIdentity, "Identity", kElementWise, 1, 1, 0}, identity, 0},
    {{Op::kNeg, "Neg", kElementWise, 1, 1, 1}, numbers, 1},
    {{Op::kAbs, "Abs", kElementWise, 1, 1, 1}, numbers, 1},
    {{Op::kExp, "Exp", kElementWise, 1, 1, 1}, reals},
    {{Op::kLog, "Log", kElementWise, 1, 1, 1}, reals, 16, nullptr, nullptr, {kPositive}},
    {{Op::kSqrt, "Sqrt", kElementWise, 1, 1, 1}, reals, 4, nullptr, nullptr, {kPositive}},
    {{Op::kReciprocal, "Reciprocal", kElementWise, 1, 1, 1}, reals, 4, nullptr, nullptr, {kDivisor}},
    {{Op::kErf, "Erf", kElementWise, 1, 1, 1}, reals, 32},
    {{Op::kTanh, "Tanh", kElementWise, 1, 1, 1}, reals},
    {{Op::kSigmoid, "Sigmoid", kElementWise, 1, 1, 4}, reals},
    {{Op::kRelu, "Relu", kElementWise, 1, 1, 1}, numbers, 1},
    {{Op::kLeakyRelu, "LeakyRelu", kElementWise, 1, 1, 2}, reals, 1, [] { return Schema{real("alpha", 0.01)}; }},
    {{Op::kGelu, "Gelu", kElementWise, 1, 1, 0}, gelu, 32, [] { return Schema{text("approximate", "none")}; }, gelu_flops},
    {{Op::kSwish, "Swish", kElementWise, 1, 1, 5}, reals, 16, [] { return Schema{real("alpha", 1.0)}; }},
    {{Op::kClip, "Clip", kElementWise, 1, 1, 2}, numbers, 1, clip_attributes},
    {{Op::kCast, "Cast", kElementWise, 1, 1, 0}, cast, 1, cast_attributes},
    {{Op::kSin, "Sin", kElementWise, 1, 1, 1}, reals, 1},
    {{Op::kCos, "Cos", kElementWise, 1, 1, 1}, reals, 1},
    {{Op::kTan, "Tan", kElementWise, 1, 1, 1}, reals, 1},
    {{Op::kAsin, "Asin", kElementWise, 1, 1, 1}, reals, 1},
    {{Op::kAcos, "Acos", kElementWise, 1, 1, 1}, reals, 1},
    {{Op::kAtan, "Atan", kElementWise, 1, 1, 1}, reals, 1},
    {{Op::kSinh, "Sinh", kElementWise, 1, 1, 1}, reals, 1},
    {{Op::kCosh, "Cosh", kElementWise, 1, 1, 1}, reals, 1},
    {{Op::kAsinh, "Asinh", kElementWise, 1, 1, 1}, reals, 1},
    {{Op::kAcosh, "Acosh", kElementWise, 1, 1, 1}, reals, 1},
    {{Op::kAtanh, "Atanh", kElementWise, 1, 1, 1}, reals, 1},
    {{Op::kFloor, "Floor", kElementWise, 1, 1, 1}, reals, 1},
    {{Op::kCeil, "Ceil", kElementWise, 1, 1, 1}, reals, 1},
    {{Op::kRound, "Round", kElementWise, 1, 1, 1}, reals, 1},
    {{Op::kSign, "Sign", kElementWise, 1, 1, 1}, numbers, 1},
    {{Op::kIsNaN, "IsNaN", kElementWise, 1, 1, 1}, reals_to_bool, 1},
    {{Op::kIsInf, "IsInf", kElementWise, 1, 1, 1}, reals_to_bool, 1, is_inf_attributes},
    {{Op::kShrink, "Shrink", kElementWise, 1, 1, 2}, reals, 1, shrink_attributes},
    {{Op::kThresholdedRelu, "ThresholdedRelu", kElementWise, 1, 1, 1}, reals, 1, [] { return Schema{real("alpha", 1.0)}; }},
    {{Op::kAdd, "Add", kElementWise, 2, 2, 1}, arithmetic, 1},
    {{Op::kSub, "Sub", kElementWise, 2, 2, 1}, arithmetic, 1},
    {{Op::kMul, "Mul", kElementWise, 2, 2, 1}, arithmetic, 1},
    {{Op::kDiv, "Div", kElementWise, 2, 2, 1}, arithmetic, 4, nullptr, nullptr, {kValue, kDivisor}},
    {{Op::kPow, "Pow", kElementWise, 2, 2, 1}, power, 32},
    {{Op::kMin, "Min", kElementWise, 1, -1, 0}, arithmetic, 1, nullptr, fold_flops},
    {{Op::kMax, "Max", kElementWise, 1, -1, 0}, arithmetic, 1, nullptr, fold_flops},
    {{Op::kWhere, "Where", kElementWise, 3, 3, 1}, where, 1},
    {{Op::kBitwiseAnd, "BitwiseAnd", kElementWise, 2, 2, 1}, bits, 1},
    {{Op::kEqual, "Equal", kElementWise, 2, 2, 1}, equality, 1},
    {{Op::kLess, "Less", kElementWise, 2, 2, 1}, comparison, 1},
    {{Op::kGreater, "Greater", kElementWise, 2, 2, 1}, comparison, 1},
    {{Op::kLessOrEqual, "LessOrEqual", kElementWise, 2, 2, 1}, comparison, 1},
    {{Op::kGreaterOrEqual, "GreaterOrEqual", kElementWise, 2, 2, 1}, comparison, 1},
    {{Op::kAnd, "And", kElementWise, 2, 2, 1}, logic, 1},
    {{Op::kOr, "Or", kElementWise, 2, 2, 1}, logic, 1},
    {{Op::kXor, "Xor", kElementWise, 2, 2, 1}, logic, 1},
    {{Op::kNot, "Not", kElementWise, 1, 1, 1}, logic, 1},
    {{Op::kMod, "Mod", kElementWise, 2, 2, 1}, modulo, 1, [] { return Schema{integer("fmod", 0)}; }, nullptr, {kValue, kDivisor}},
});

}  // namespace fuselab::ops
