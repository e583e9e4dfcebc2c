// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iterator>
#include <limits>

#include "backends/torch/lowering.h"

namespace fuselab::torch {
namespace {

struct Direct {
  Op op;
  Schema schema;
};
// Operators that are one call of their operands.
constexpr Direct kDirect[] = {{Op::kNeg, {"aten::neg", "out", "tt"}},
                              {Op::kAbs, {"aten::abs", "out", "tt"}},
                              {Op::kExp, {"aten::exp", "out", "tt"}},
                              {Op::kLog, {"aten::log", "out", "tt"}},
                              {Op::kSqrt, {"aten::sqrt", "out", "tt"}},
                              {Op::kReciprocal, {"aten::reciprocal", "out", "tt"}},
                              {Op::kErf, {"aten::erf", "out", "tt"}},
                              {Op::kTanh, {"aten::tanh", "out", "tt"}},
                              {Op::kSigmoid, {"aten::sigmoid", "out", "tt"}},
                              {Op::kSin, {"aten::sin", "out", "tt"}},
                              {Op::kCos, {"aten::cos", "out", "tt"}},
                              {Op::kTan, {"aten::tan", "out", "tt"}},
                              {Op::kAsin, {"aten::asin", "out", "tt"}},
                              {Op::kAcos, {"aten::acos", "out", "tt"}},
                              {Op::kAtan, {"aten::atan", "out", "tt"}},
                              {Op::kSinh, {"aten::sinh", "out", "tt"}},
                              {Op::kCosh, {"aten::cosh", "out", "tt"}},
                              {Op::kAsinh, {"aten::asinh", "out", "tt"}},
                              {Op::kAcosh, {"aten::acosh", "out", "tt"}},
                              {Op::kAtanh, {"aten::atanh", "out", "tt"}},
                              {Op::kFloor, {"aten::floor", "out", "tt"}},
                              {Op::kCeil, {"aten::ceil", "out", "tt"}},
                              {Op::kRound, {"aten::round", "out", "tt"}},
                              {Op::kSign, {"aten::sign", "out", "tt"}},
                              {Op::kNot, {"aten::logical_not", "out", "tt"}},
                              {Op::kMul, {"aten::mul", "out", "ttt"}},
                              {Op::kPow, {"aten::pow", "Tensor_Tensor_out", "ttt"}},
                              {Op::kBitwiseAnd, {"aten::bitwise_and", "Tensor_out", "ttt"}},
                              {Op::kEqual, {"aten::eq", "Tensor_out", "ttt"}},
                              {Op::kLess, {"aten::lt", "Tensor_out", "ttt"}},
                              {Op::kGreater, {"aten::gt", "Tensor_out", "ttt"}},
                              {Op::kLessOrEqual, {"aten::le", "Tensor_out", "ttt"}},
                              {Op::kGreaterOrEqual, {"aten::ge", "Tensor_out", "ttt"}},
                              {Op::kAnd, {"aten::logical_and", "out", "ttt"}},
                              {Op::kOr, {"aten::logical_or", "out", "ttt"}},
                              {Op::kXor, {"aten::logical_xor", "out", "ttt"}},
                              {Op::kWhere, {"aten::where", "self_out", "tttt"}}};
constexpr Schema kAdd{"aten::add", "out", "ttct", 1, "_ZN2at4_ops7add_out4callERKNS_6TensorES4_RKN3c106ScalarERS2_"};
constexpr Schema kSubtract{"aten::sub", "out", "ttct", 1, "_ZN2at4_ops7sub_out4callERKNS_6TensorES4_RKN3c106ScalarERS2_"};
constexpr Schema kLeakyRelu{"aten::leaky_relu", "out", "tct", 1,
                            "_ZN2at4_ops14leaky_relu_out4callERKNS_6TensorERKN3c106ScalarERS2_"};
constexpr Schema kMul{"aten::mul", "out", "ttt"};
constexpr Schema kDiv{"aten::div", "out", "ttt"};
constexpr Schema kDivTruncated{"aten::div", "out_mode", "ttrt"};
constexpr Schema kMinimum{"aten::minimum", "out", "ttt"};
constexpr Schema kMaximum{"aten::maximum", "out", "ttt"};
constexpr Schema kSigmoid{"aten::sigmoid", "out", "tt"};
constexpr Schema kGelu{"aten::gelu", "out", "tst"};
constexpr Schema kSilu{"aten::silu", "out", "tt"};
constexpr Schema kClampMin{"aten::clamp_min", "Tensor_out", "ttt"};
constexpr Schema kClamp{"aten::clamp", "Tensor_out", "toot"};
constexpr Schema kFmod{"aten::fmod", "Tensor_out", "ttt"};
constexpr Schema kRemainder{"aten::remainder", "Tensor_out", "ttt"};
constexpr Schema kNotEqual{"aten::ne", "Tensor_out", "ttt"};
constexpr Schema kEqual{"aten::eq", "Tensor_out", "ttt"};
constexpr Schema kAbs{"aten::abs", "out", "tt"};

Status direct(Lowering& to, const Node& node) {
  if (node.op == Op::kPow && !is_floating(to.tensor(to.in(node, 0)).dtype) && is_floating(to.tensor(to.in(node, 1)).dtype))
    return not_taken("PyTorch gives reals for a whole number to a real power");
  const auto* const row = std::ranges::find_if(kDirect, [&](const Direct& each) { return each.op == node.op; });
  std::vector<Argument> arguments;
  for (std::size_t i = 0; i < node.inputs.size(); ++i) arguments.emplace_back(Ref{to.in(node, i)});
  arguments.emplace_back(Ref{to.out(node)});
  to.call(row->schema, std::move(arguments));
  return {};
}

Status add_or_sub(Lowering& to, const Node& node) {
  const int a = to.in(node, 0);
  Argument factor = 1.0;
  if (!is_floating(to.tensor(a).dtype)) factor = std::int64_t{1};
  to.call(node.op == Op::kAdd ? kAdd : kSubtract, {Ref{a}, Ref{to.in(node, 1)}, factor, Ref{to.out(node)}});
  return {};
}

// Whole numbers are cut, as ONNX has it.
Status divide(Lowering& to, const Node& node) {
  const Ref a{to.in(node, 0)}, b{to.in(node, 1)}, result{to.out(node)};
  if (is_floating(to.tensor(a.tensor).dtype)) {
    to.call(kDiv, {a, b, result});
  } else {
    to.call(kDivTruncated, {a, b, "trunc", result});
  }
  return {};
}

// Takes any number of operands, two by two.
Status least_or_greatest(Lowering& to, const Node& node) {
  const Schema& schema = node.op == Op::kMin ? kMinimum : kMaximum;
  const int result = to.out(node);
  if (node.inputs.size() == 1) {
    to.copy(result, to.in(node, 0));
    return {};
  }
  int sofar = to.broadcast(to.in(node, 0), to.extents(result));
  for (std::size_t i = 1; i < node.inputs.size(); ++i) {
    const bool is_last = i + 1 == node.inputs.size();
    const int next = is_last ? result : to.kept(to.tensor(result).dtype, to.extents(result));
    to.call(schema, {Ref{sofar}, Ref{to.in(node, i)}, Ref{next}});
    sofar = next;
  }
  return {};
}

Status relu(Lowering& to, const Node& node) {
  const int x = to.in(node, 0);
  to.call(kClampMin, {Ref{x}, Ref{to.number(to.tensor(x).dtype, 0)}, Ref{to.out(node)}});
  return {};
}

Status leaky_relu(Lowering& to, const Node& node) {
  to.call(kLeakyRelu, {Ref{to.in(node, 0)}, node.attributes.real("alpha", 0.01), Ref{to.out(node)}});
  return {};
}

Status gelu(Lowering& to, const Node& node) {
  const bool tanh = node.attributes.text("approximate", "none") == "tanh";
  to.call(kGelu, {Ref{to.in(node, 0)}, tanh ? "tanh" : "none", Ref{to.out(node)}});
  return {};
}

Status swish(Lowering& to, const Node& node) {
  const int x = to.in(node, 0), result = to.out(node);
  const double alpha = node.attributes.real("alpha", 1);
  if (alpha == 1) {
    to.call(kSilu, {Ref{x}, Ref{result}});
    return {};
  }
  const DType dtype = to.tensor(x).dtype;
  const int scaled = to.kept(dtype, to.extents(x)), gate = to.kept(dtype, to.extents(x));
  to.call(kMul, {Ref{x}, Ref{to.number(dtype, alpha)}, Ref{scaled}});
  to.call(kSigmoid, {Ref{scaled}, Ref{gate}});
  to.call(kMul, {Ref{x}, Ref{gate}, Ref{result}});
  return {};
}

Status clip(Lowering& to, const Node& node) {
  const int x = to.in(node, 0), result = to.out(node);
  const auto bound = [&](const char* name) -> Argument {
    if (!node.attributes.has(name)) return None{};
    return Ref{to.number(to.tensor(x).dtype, node.attributes.real(name, 0))};
  };
  const Argument least = bound("min"), most = bound("max");
  if (std::holds_alternative<None>(least) && std::holds_alternative<None>(most)) {
    to.copy(result, x);
  } else {
    to.call(kClamp, {Ref{x}, least, most, Ref{result}});
  }
  return {};
}

Status cast(Lowering& to, const Node& node) {
  const DType from = to.tensor(to.in(node, 0)).dtype, target = to.graph().type(node.outputs.front()).dtype;
  if (is_floating(from) && !is_floating(target) && target != DType::kBool)
    return not_taken("of reals to whole numbers: what is out of range is left to the CPU");
  to.copy(to.out(node), to.in(node, 0));
  return {};
}

Status modulo(Lowering& to, const Node& node) {
  const bool as_c = node.attributes.integer("fmod", 0) != 0;
  to.call(as_c ? kFmod : kRemainder, {Ref{to.in(node, 0)}, Ref{to.in(node, 1)}, Ref{to.out(node)}});
  return {};
}

Status is_nan(Lowering& to, const Node& node) {
  to.call(kNotEqual, {Ref{to.in(node, 0)}, Ref{to.in(node, 0)}, Ref{to.out(node)}});
  return {};
}

Status is_infinite(Lowering& to, const Node& node) {
  const int x = to.in(node, 0), result = to.out(node);
  const DType dtype = to.tensor(x).dtype;
  const bool negative = node.attributes.integer("detect_negative", 1) != 0,
             positive = node.attributes.integer("detect_positive", 1) != 0;
  if (!negative && !positive) return not_taken("that finds no infinity");
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (negative != positive) {
    to.call(kEqual, {Ref{x}, Ref{to.number(dtype, negative ? -kInfinity : kInfinity)}, Ref{result}});
    return {};
  }
  const int size = to.kept(dtype, to.extents(x));
  to.call(kAbs, {Ref{x}, Ref{size}});
  to.call(kEqual, {Ref{size}, Ref{to.number(dtype, kInfinity)}, Ref{result}});
  return {};
}

}  // namespace

std::span<const LoweringRow> elementwise_rows() {
  static const std::vector<LoweringRow> all = [] {
    std::vector<LoweringRow> rows = {{Op::kAdd, add_or_sub},
                                     {Op::kSub, add_or_sub},
                                     {Op::kDiv, divide},
                                     {Op::kMin, least_or_greatest},
                                     {Op::kMax, least_or_greatest},
                                     {Op::kRelu, relu},
                                     {Op::kLeakyRelu, leaky_relu},
                                     {Op::kGelu, gelu},
                                     {Op::kSwish, swish},
                                     {Op::kClip, clip},
                                     {Op::kCast, cast},
                                     {Op::kMod, modulo},
                                     {Op::kIsNaN, is_nan},
                                     {Op::kIsInf, is_infinite}};
    for (const Direct& each : kDirect) rows.push_back({each.op, direct});
    return rows;
  }();
  return all;
}

}  // namespace fuselab::torch
