// SPDX-License-Identifier: Apache-2.0
#include "core/import/evaluation/evaluators.h"

namespace fuselab::onnx {
namespace {

constexpr std::int32_t kI32 = 6;

// An operand less its zero point: one number, or one for each entry of the axis that `behind` others follow.
Result<Array> without_zero(const Call& call, std::size_t operand, std::size_t zero, std::int64_t behind) {
  if (!call.has(zero)) return call.in(operand);
  Array shift = call.in(zero);
  if (shift.rank() == 1 && shift.count() > 1) shift.shape.resize(static_cast<std::size_t>(1 + behind), 1);
  FL_TRY(shift, expanded(shift, call.in(operand).shape));
  Array result = call.in(operand);
  for (std::size_t i = 0; i < result.data.size(); ++i) result.data[i] -= shift.data[i];
  return result;
}

Result<Array> sums_of_product(const Call& call, std::size_t b, std::size_t a_zero, std::size_t b_zero) {
  FL_TRY(Array left, without_zero(call, 0, a_zero, 1));
  FL_TRY(Array right, without_zero(call, b, b_zero, 0));
  return multiplied(std::move(left), std::move(right), kI32);
}

Result<Array> sums_of_conv(const Call& call, std::size_t w, std::size_t x_zero, std::size_t w_zero, const Array* bias) {
  FL_TRY(const Array x, without_zero(call, 0, x_zero, 0));
  FL_TRY(const Array filter, without_zero(call, w, w_zero, call.in(w).rank() - 1));
  FL_TRY(std::vector<Array> results, evaluate_conv(call.with({&x, &filter, bias})));
  results.front().type = kI32;
  return std::move(results.front());
}

// A scale laid along the axis that `behind` others follow, in the shape of the sums.
Result<Array> scale_of(const Call& call, std::size_t operand, std::int64_t behind, const Array& sums) {
  Array scale = call.in(operand);
  if (scale.rank() == 1 && scale.count() > 1) scale.shape.resize(static_cast<std::size_t>(1 + behind), 1);
  if (scale.count() == 1) scale.shape.clear();
  return expanded(scale, sums.shape);
}

// Operands 1, 4 and 6 are scales, 7 is the zero point of the result. Each is rounded once, in the end.
Evaluated requantised(const Call& call, Array sums, std::int64_t behind_left, std::int64_t behind_right) {
  FL_TRY(const Array left, scale_of(call, 1, behind_left, sums));
  FL_TRY(const Array right, scale_of(call, 4, behind_right, sums));
  FL_TRY(const Array result, scale_of(call, 6, behind_left, sums));
  FL_TRY(const Array zero, scale_of(call, 7, behind_left, sums));
  FL_TRY(const Bounds bounds, bounds_of(call.in(7).type));
  for (std::size_t i = 0; i < sums.data.size(); ++i)
    sums.data[i] = rounded(sums.data[i] * left.data[i] * right.data[i] / result.data[i], zero.data[i], bounds);
  sums.type = call.in(7).type;
  return std::vector{std::move(sums)};
}

Evaluated evaluate_matmul_integer(const Call& call) {
  FL_TRY_VOID(call.needs(2));
  FL_TRY(Array sums, sums_of_product(call, 1, 2, 3));
  return std::vector{std::move(sums)};
}

Evaluated evaluate_conv_integer(const Call& call) {
  FL_TRY_VOID(call.needs(2));
  FL_TRY(Array sums, sums_of_conv(call, 1, 2, 3, nullptr));
  return std::vector{std::move(sums)};
}

Evaluated evaluate_qlinear_matmul(const Call& call) {
  FL_TRY_VOID(call.needs(8));
  FL_TRY(Array sums, sums_of_product(call, 3, 2, 5));
  return requantised(call, std::move(sums), 1, 0);
}

Evaluated evaluate_qlinear_conv(const Call& call) {
  FL_TRY_VOID(call.needs(8));
  FL_TRY(Array sums, sums_of_conv(call, 3, 2, 5, call.optional(8)));
  return requantised(call, std::move(sums), 0, call.in(0).rank() - 2);
}

}  // namespace

void add_integer_products(EvaluatorTable& table) {
  table["MatMulInteger"] = evaluate_matmul_integer;
  table["ConvInteger"] = evaluate_conv_integer;
  table["QLinearMatMul"] = evaluate_qlinear_matmul;
  table["QLinearConv"] = evaluate_qlinear_conv;
}

}  // namespace fuselab::onnx
