// SPDX-License-Identifier: Apache-2.0
// Operators of the domain com.microsoft, each by its definition.
#include <algorithm>
#include <cmath>

#include "core/import/evaluation/evaluators.h"
#include "onnx_subset.pb.h"

namespace fuselab::onnx {
namespace {

// Adds an operand that broadcasts; nothing where it is absent.
Status add(Array& array, const Call& call, std::size_t operand) {
  if (!call.has(operand)) return {};
  FL_TRY(const Array other, expanded(call.in(operand), array.shape));
  for (std::size_t i = 0; i < array.data.size(); ++i) array.data[i] += other.data[i];
  return {};
}

Evaluated evaluate_gelu(const Call& call) {
  FL_TRY_VOID(call.needs(1));
  Array result = call.in(0);
  FL_TRY_VOID(add(result, call, 1));
  const bool fast = call.op() == "FastGelu";
  for (double& x : result.data)
    x *= 0.5 * (1 + (fast ? std::tanh(std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x)) : std::erf(x / std::sqrt(2.0))));
  return std::vector{std::move(result)};
}

Evaluated evaluate_quick_gelu(const Call& call) {
  FL_TRY_VOID(call.needs(1));
  Array result = call.in(0);
  const double alpha = call.real("alpha", 1.702);
  for (double& x : result.data) x /= 1 + std::exp(-alpha * x);
  return std::vector{std::move(result)};
}

Status activate(Array& array, const std::string& name, const std::vector<double>& with) {
  const auto parameter = [&](std::size_t i, double otherwise) { return i < with.size() ? with[i] : otherwise; };
  for (double& x : array.data) {
    if (name == "Relu")
      x = std::max(x, 0.0);
    else if (name == "Tanh")
      x = std::tanh(x);
    else if (name == "Sigmoid")
      x = 1 / (1 + std::exp(-x));
    else if (name == "LeakyRelu")
      x = x < 0 ? x * parameter(0, 0.01) : x;
    else if (name == "Clip" && with.size() == 2)
      x = std::min(std::max(x, with[0]), with[1]);
    else if (name == "HardSigmoid")
      x = std::clamp(parameter(0, 0.2) * x + parameter(1, 0.5), 0.0, 1.0);
    else if (!name.empty())
      return Error{ErrorCode::kUnsupported, "has the activation '" + name + "'"};
  }
  return {};
}

Array turned(const Array& array) {
  if (array.rank() < 2) return array;
  Array result = array;
  const auto rank = static_cast<std::size_t>(array.rank());
  const std::int64_t rows = array.shape[rank - 2], columns = array.shape[rank - 1];
  std::swap(result.shape[rank - 2], result.shape[rank - 1]);
  for (std::int64_t i = 0; i < array.count(); ++i) {
    const std::int64_t matrix = i / (rows * columns), row = i / columns % rows, column = i % columns;
    result.data[static_cast<std::size_t>((matrix * columns + column) * rows + row)] = array.data[static_cast<std::size_t>(i)];
  }
  return result;
}

Evaluated evaluate_fused_matmul(const Call& call) {
  FL_TRY_VOID(call.needs(2));
  for (const char* const name : {"transBatchA", "transBatchB", "activation_gamma"}) {
    if (call.attribute(name) != nullptr && (call.integer(name, 0) != 0 || call.real(name, 0) != 0))
      return Error{ErrorCode::kUnsupported, "has the attribute '" + std::string(name) + "'"};
  }
  const auto side = [&](std::size_t i, const char* is_turned) {
    return call.integer(is_turned, 0) != 0 ? turned(call.in(i)) : call.in(i);
  };
  FL_TRY(Array result, multiplied(side(0, "transA"), side(1, "transB"), call.in(0).type));
  const bool gemm = call.op() == "FusedGemm";
  for (double& number : result.data) number *= call.real("alpha", 1);
  if (gemm && call.has(2)) {
    FL_TRY(const Array bias, expanded(call.in(2), result.shape));
    for (std::size_t i = 0; i < result.data.size(); ++i) result.data[i] += call.real("beta", 1) * bias.data[i];
  }
  const std::string activation = gemm ? call.text("activation", "") : "";
  const bool hard = activation == "HardSigmoid";
  FL_TRY_VOID(activate(result, activation,
                       {call.real("activation_alpha", hard ? 0.2 : 0.01), call.real("activation_beta", hard ? 0.5 : 0)}));
  return std::vector{std::move(result)};
}

Evaluated evaluate_fused_conv(const Call& call) {
  FL_TRY_VOID(call.needs(2));
  FL_TRY(std::vector<Array> results, evaluate_conv(call));
  FL_TRY_VOID(add(results.front(), call, 3));
  FL_TRY_VOID(activate(results.front(), call.text("activation", ""), call.reals("activation_params")));
  return results;
}

Evaluated evaluate_skip_norm(const Call& call) {
  FL_TRY_VOID(call.needs(3));
  if (call.results() > 1 && call.results() < 4) return Error{ErrorCode::kUnsupported, "gives its mean or its deviation"};
  const bool centred = call.op() == "SkipLayerNormalization";
  Array sum = call.in(0);
  FL_TRY_VOID(add(sum, call, 1));
  FL_TRY_VOID(add(sum, call, centred ? 4 : 3));
  Array result = sum;
  if (sum.rank() == 0) return invalid_argument("normalises a single number");
  normalise(result, sum.shape.back(), call.real("epsilon", 1e-12), centred);
  FL_TRY(const Array scale, expanded(call.in(2), result.shape));
  for (std::size_t i = 0; i < result.data.size(); ++i) result.data[i] *= scale.data[i];
  if (centred) FL_TRY_VOID(add(result, call, 3));
  return std::vector{std::move(result), Array(), Array(), std::move(sum)};
}

Evaluated evaluate_qlinear_pair(const Call& call) {
  FL_TRY_VOID(call.needs(2));
  for (const std::size_t i : {3, 4, 6}) {
    if (!call.has(i)) return invalid_argument("lacks operand " + std::to_string(i));
  }
  FL_TRY(const Extents shape, broadcast(call.in(0).shape, call.in(3).shape));
  FL_TRY(const Bounds bounds, bounds_of(call.in(0).type));
  for (const std::size_t i : {1, 2, 4, 5, 6, 7}) {
    if (call.has(i) && call.in(i).count() != 1) return invalid_argument("has a scale or zero point that is no single number");
  }
  const auto first = [&](std::size_t i) { return call.has(i) ? call.in(i).data.at(0) : 0; };
  FL_TRY(Array result, expanded(call.in(0), shape));
  FL_TRY(const Array other, expanded(call.in(3), shape));
  for (std::size_t i = 0; i < result.data.size(); ++i) {
    const double a = (result.data[i] - first(2)) * first(1), b = (other.data[i] - first(5)) * first(4);
    result.data[i] = rounded((call.op() == "QLinearAdd" ? a + b : a * b) / first(6), first(7), bounds);
  }
  return std::vector{std::move(result)};
}

}  // namespace

void add_contributed(EvaluatorTable& table) {
  const std::string domain = "com.microsoft.";
  for (const char* const name : {"Gelu", "BiasGelu", "FastGelu"}) table[domain + name] = evaluate_gelu;
  for (const char* const name : {"FusedMatMul", "FusedGemm"}) table[domain + name] = evaluate_fused_matmul;
  for (const char* const name : {"QLinearAdd", "QLinearMul"}) table[domain + name] = evaluate_qlinear_pair;
  for (const char* const name : {"SkipLayerNormalization", "SkipSimplifiedLayerNormalization"})
    table[domain + name] = evaluate_skip_norm;
  table[domain + "QuickGelu"] = evaluate_quick_gelu;
  table[domain + "FusedConv"] = evaluate_fused_conv;
}

}  // namespace fuselab::onnx
