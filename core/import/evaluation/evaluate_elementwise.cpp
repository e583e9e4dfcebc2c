// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "core/import/evaluation/call.h"
#include "onnx_subset.pb.h"

namespace fuselab::onnx {
namespace {

constexpr std::int32_t kBool = 9;

double sigmoid(double x) {
  return 1 / (1 + std::exp(-x));
}
double softplus(double x) {
  return x > 0 ? x + std::log1p(std::exp(-x)) : std::log1p(std::exp(x));
}
double sign(double x) {
  return x > 0 ? 1 : x < 0 ? -1 : x;
}
double clamped(double x, double least, double most) {
  return std::isnan(x) ? x : std::min(std::max(x, least), most);
}
double normal(double x) {
  return 0.5 * std::erfc(-x * M_SQRT1_2);
}
double gelu_by_tanh(double x) {
  return 0.5 * x * (1 + std::tanh(std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x)));
}

using Function = double (*)(double x);

const std::unordered_map<std::string, Function>& functions() {
  static const std::unordered_map<std::string, Function> kFunctions = {
      {"Identity", [](double x) { return x; }},
      {"Neg", [](double x) { return -x; }},
      {"Abs", [](double x) { return std::fabs(x); }},
      {"Exp", [](double x) { return std::exp(x); }},
      {"Log", [](double x) { return std::log(x); }},
      {"Sqrt", [](double x) { return std::sqrt(x); }},
      {"Reciprocal", [](double x) { return 1 / x; }},
      {"Erf", [](double x) { return std::erf(x); }},
      {"Tanh", [](double x) { return std::tanh(x); }},
      {"Sigmoid", sigmoid},
      {"Relu", [](double x) { return x < 0 ? 0 : x; }},
      {"Softplus", softplus},
      {"Softsign", [](double x) { return x / (1 + std::fabs(x)); }},
      {"HardSwish", [](double x) { return x * clamped(x / 6 + 0.5, 0, 1); }},
      {"Mish", [](double x) { return x * std::tanh(softplus(x)); }},
      {"Sin", [](double x) { return std::sin(x); }},
      {"Cos", [](double x) { return std::cos(x); }},
      {"Tan", [](double x) { return std::tan(x); }},
      {"Asin", [](double x) { return std::asin(x); }},
      {"Acos", [](double x) { return std::acos(x); }},
      {"Atan", [](double x) { return std::atan(x); }},
      {"Sinh", [](double x) { return std::sinh(x); }},
      {"Cosh", [](double x) { return std::cosh(x); }},
      {"Asinh", [](double x) { return std::asinh(x); }},
      {"Acosh", [](double x) { return std::acosh(x); }},
      {"Atanh", [](double x) { return std::atanh(x); }},
      {"Floor", [](double x) { return std::floor(x); }},
      {"Ceil", [](double x) { return std::ceil(x); }},
      {"Round", [](double x) { return std::nearbyint(x); }},
      {"Sign", sign},
      {"Not", [](double x) { return x == 0 ? 1.0 : 0.0; }},
      {"IsNaN", [](double x) { return std::isnan(x) ? 1.0 : 0.0; }},
  };
  return kFunctions;
}

template <typename F>
Evaluated mapped(const Call& call, F function) {
  FL_TRY_VOID(call.needs(1));
  Array result = call.in(0);
  for (double& number : result.data) number = function(number);
  if (call.op() == "IsNaN" || call.op() == "IsInf") result.type = kBool;
  return std::vector{std::move(result)};
}

Evaluated evaluate_function(const Call& call) {
  return mapped(call, functions().at(call.op()));
}

Evaluated evaluate_with_numbers(const Call& call) {
  const std::string& op = call.op();
  const double alpha = call.real("alpha", op == "LeakyRelu"     ? 0.01
                                          : op == "HardSigmoid" ? 0.2
                                          : op == "Selu"        ? 1.67326319217681884765625
                                                                : 1);
  if (op == "LeakyRelu") return mapped(call, [=](double x) { return x < 0 ? alpha * x : x; });
  if (op == "Elu") return mapped(call, [=](double x) { return x < 0 ? alpha * std::expm1(x) : x; });
  if (op == "Celu") return mapped(call, [=](double x) { return std::max(0.0, x) + std::min(0.0, alpha * std::expm1(x / alpha)); });
  if (op == "ThresholdedRelu") return mapped(call, [=](double x) { return x > alpha ? x : 0; });
  if (op == "Swish") return mapped(call, [=](double x) { return x * sigmoid(alpha * x); });
  if (op == "HardSigmoid") {
    const double beta = call.real("beta", 0.5);
    return mapped(call, [=](double x) { return clamped(alpha * x + beta, 0, 1); });
  }
  if (op == "Selu") {
    const double gamma = call.real("gamma", 1.05070102214813232421875);
    return mapped(call, [=](double x) { return gamma * (x > 0 ? x : alpha * std::expm1(x)); });
  }
  if (op == "Gelu") {
    const bool by_tanh = call.text("approximate", "none") == "tanh";
    return mapped(call, [=](double x) { return by_tanh ? gelu_by_tanh(x) : x * normal(x); });
  }
  if (op == "Shrink") {
    const double bias = call.real("bias", 0), lambda = call.real("lambd", 0.5);
    return mapped(call, [=](double x) { return x < -lambda ? x + bias : x > lambda ? x - bias : 0; });
  }
  const bool below = call.integer("detect_negative", 1) != 0, above = call.integer("detect_positive", 1) != 0;  // IsInf
  return mapped(call, [=](double x) { return std::isinf(x) && (x < 0 ? below : above) ? 1.0 : 0.0; });
}

Evaluated evaluate_clip(const Call& call) {
  const auto bound = [&](std::size_t i, const char* name, double otherwise) {
    if (call.opset() < 11) return call.real(name, otherwise);
    return call.has(i) && call.in(i).count() == 1 ? call.in(i).data.front() : otherwise;
  };
  const double least = bound(1, "min", -INFINITY), most = bound(2, "max", INFINITY);
  return mapped(call, [=](double x) { return clamped(x, least, most); });
}

double as_integer(double number, std::int32_t type) {
  const std::int64_t cut = whole(number);
  switch (type) {
    case 2: return static_cast<std::uint8_t>(cut);
    case 3: return static_cast<std::int8_t>(cut);
    case 4: return static_cast<std::uint16_t>(cut);
    case 5: return static_cast<std::int16_t>(cut);
    case 6: return static_cast<std::int32_t>(cut);
    case 12: return static_cast<std::uint32_t>(cut);
    default: return static_cast<double>(cut);
  }
}

Evaluated evaluate_cast(const Call& call) {
  FL_TRY_VOID(call.needs(call.op() == "CastLike" ? 2 : 1));
  Array result = call.in(0);
  result.type = call.op() == "CastLike" ? call.in(1).type : static_cast<std::int32_t>(call.integer("to", 1));
  if (result.type == 8 || result.type >= 17)
    return Error{ErrorCode::kUnsupported, "casts to the type " + std::to_string(result.type)};
  if (result.type == kBool) {
    for (double& number : result.data) number = number != 0 ? 1 : 0;
  } else if (!result.is_real()) {
    for (double& number : result.data) number = as_integer(number, result.type);
  }
  return std::vector{std::move(result)};
}

double power(double a, double b) {
  return std::pow(a, b);
}
double remainder_with_sign_of_divisor(double a, double b) {
  const double rest = std::fmod(a, b);
  return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

// Numbers beyond 2^53 have lost bits on their way into a double.
double common_bits(double a, double b) {
  if (std::max(std::fabs(a), std::fabs(b)) > 0x1p53) return NAN;
  return static_cast<double>(static_cast<std::int64_t>(a) & static_cast<std::int64_t>(b));
}

using Combine = double (*)(double a, double b);
const std::unordered_map<std::string, Combine>& combinations() {
  static const std::unordered_map<std::string, Combine> kCombinations = {
      {"Add", [](double a, double b) { return a + b; }},
      {"Sub", [](double a, double b) { return a - b; }},
      {"Mul", [](double a, double b) { return a * b; }},
      {"Div", [](double a, double b) { return a / b; }},
      {"Pow", power},
      {"Mod", remainder_with_sign_of_divisor},
      {"Min", [](double a, double b) { return std::isnan(a) || std::isnan(b) ? NAN : std::min(a, b); }},
      {"Max", [](double a, double b) { return std::isnan(a) || std::isnan(b) ? NAN : std::max(a, b); }},
      {"Sum", [](double a, double b) { return a + b; }},
      {"Mean", [](double a, double b) { return a + b; }},
      {"And", [](double a, double b) { return a != 0 && b != 0 ? 1.0 : 0.0; }},
      {"Or", [](double a, double b) { return a != 0 || b != 0 ? 1.0 : 0.0; }},
      {"Xor", [](double a, double b) { return (a != 0) != (b != 0) ? 1.0 : 0.0; }},
      {"BitwiseAnd", common_bits},
      {"Equal", [](double a, double b) { return a == b ? 1.0 : 0.0; }},
      {"Less", [](double a, double b) { return a < b ? 1.0 : 0.0; }},
      {"Greater", [](double a, double b) { return a > b ? 1.0 : 0.0; }},
      {"LessOrEqual", [](double a, double b) { return a <= b ? 1.0 : 0.0; }},
      {"GreaterOrEqual", [](double a, double b) { return a >= b ? 1.0 : 0.0; }},
      {"PRelu", [](double a, double b) { return a < 0 ? a * b : a; }},
  };
  return kCombinations;
}

Result<Array> combined(const Array& a, const Array& b, Combine combine) {
  FL_TRY(const Extents shape, broadcast(a.shape, b.shape));
  FL_TRY(Array result, expanded(a, shape));
  FL_TRY(const Array other, expanded(b, shape));
  for (std::size_t i = 0; i < result.data.size(); ++i) result.data[i] = combine(result.data[i], other.data[i]);
  return result;
}

// Before operator set 7 an operand was laid along an axis that an attribute named.
Result<Array> second_operand(const Call& call) {
  Array other = call.in(1);
  if (call.opset() >= 7 || call.integer("broadcast", 0) == 0) return other;
  const std::int64_t axis = call.integer("axis", call.in(0).rank() - other.rank());
  if (axis < -call.in(0).rank() || axis > call.in(0).rank()) return invalid_argument("has no such axis");
  const std::int64_t behind = call.in(0).rank() - (axis < 0 ? axis + call.in(0).rank() : axis) - other.rank();
  for (std::int64_t i = 0; i < behind; ++i) other.shape.push_back(1);
  return other;
}

Evaluated evaluate_combination(const Call& call) {
  FL_TRY_VOID(call.needs(std::max<std::size_t>(1, call.count())));
  const std::string& op = call.op();
  Combine combine = combinations().at(op);
  const bool integers = !call.in(0).is_real();
  if (op == "Div" && integers) combine = [](double a, double b) { return b == 0 ? 0 : std::trunc(a / b); };
  if (op == "Mod" && call.integer("fmod", 0) != 0) combine = [](double a, double b) { return std::fmod(a, b); };
  Array result = call.in(0);
  for (std::size_t i = 1; i < call.count(); ++i) {
    FL_TRY(const Array other, i == 1 ? second_operand(call) : Result<Array>(call.in(i)));
    FL_TRY(result, combined(result, other, combine));
  }
  if (op == "Mean") {
    for (double& number : result.data) number /= static_cast<double>(call.count());
  }
  if (op == "Equal" || op.starts_with("Less") || op.starts_with("Greater")) result.type = kBool;
  if (integers && (op == "Add" || op == "Sub" || op == "Mul")) {
    for (double& number : result.data) number = as_integer(number, result.type);
  }
  if (integers && op == "Pow") {
    for (double& number : result.data) number = std::trunc(number);
  }
  return std::vector{std::move(result)};
}

Evaluated evaluate_where(const Call& call) {
  FL_TRY_VOID(call.needs(3));
  FL_TRY(const Extents both, broadcast(call.in(1).shape, call.in(2).shape));
  FL_TRY(const Extents shape, broadcast(call.in(0).shape, both));
  FL_TRY(const Array condition, expanded(call.in(0), shape));
  FL_TRY(Array result, expanded(call.in(1), shape));
  FL_TRY(const Array otherwise, expanded(call.in(2), shape));
  for (std::size_t i = 0; i < result.data.size(); ++i) {
    if (condition.data[i] == 0) result.data[i] = otherwise.data[i];
  }
  return std::vector{std::move(result)};
}

// Without training nothing is dropped.
Evaluated evaluate_dropout(const Call& call) {
  FL_TRY_VOID(call.needs(1));
  if (call.has(2) && call.in(2).count() == 1 && call.in(2).data.front() != 0)
    return Error{ErrorCode::kUnsupported, "drops elements in training"};
  Array mask = call.in(0);
  std::fill(mask.data.begin(), mask.data.end(), 1.0);
  mask.type = kBool;
  return std::vector{call.in(0), std::move(mask)};
}

}  // namespace

void add_elementwise(EvaluatorTable& table) {
  for (const auto& [name, function] : functions()) table[name] = evaluate_function;
  for (const auto& [name, combine] : combinations()) table[name] = evaluate_combination;
  for (const char* const name :
       {"LeakyRelu", "Elu", "Celu", "ThresholdedRelu", "Swish", "HardSigmoid", "Selu", "Gelu", "Shrink", "IsInf"})
    table[name] = evaluate_with_numbers;
  table["Clip"] = evaluate_clip;
  table["Cast"] = evaluate_cast;
  table["CastLike"] = evaluate_cast;
  table["Where"] = evaluate_where;
  table["Dropout"] = evaluate_dropout;
}

}  // namespace fuselab::onnx
