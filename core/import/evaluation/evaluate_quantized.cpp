// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "core/import/evaluation/evaluators.h"
#include "onnx_subset.pb.h"

namespace fuselab::onnx {
namespace {

constexpr std::int32_t kU8 = 2;

}  // namespace

double rounded(double number, double zero, const Bounds& bounds) {
  return std::clamp(std::nearbyint(number) + zero, bounds.least, bounds.most);
}

Result<Bounds> bounds_of(std::int32_t type) {
  switch (type) {
    case 2: return Bounds{0, 255};
    case 3: return Bounds{-128, 127};
    case 4: return Bounds{0, 65535};
    case 5: return Bounds{-32768, 32767};
    case 21: return Bounds{0, 15};
    case 22: return Bounds{-8, 7};
    default: return Error{ErrorCode::kUnsupported, "quantises to the type " + std::to_string(type)};
  }
}

namespace {

// A scale or zero point of one number, of one for each entry of an axis, or of one for each block along it, in the array's shape.
Result<Array> spread(const Call& call, const Array& operand, const Array& array) {
  if (operand.count() == 1) return expanded({Extents(), operand.data, operand.type}, array.shape);
  FL_TRY(const std::int64_t axis, axis_of(call.integer("axis", 1), array.rank()));
  const std::int64_t block = call.integer("block_size", 0);
  if (block > 0) {
    Extents like = array.shape;
    const std::int64_t extent = like[static_cast<std::size_t>(axis)];
    like[static_cast<std::size_t>(axis)] = (extent + block - 1) / block;
    if (operand.shape != like) return invalid_argument("has blocks that do not fit its operand");
    FL_TRY(Array result, zeros(array.shape, operand.type));
    const Extents strides = strides_of(operand.shape);
    std::size_t place = 0;
    for_each_index(array.shape, [&](const Extents& index) {
      std::int64_t source = 0;
      for (std::size_t i = 0; i < index.size(); ++i)
        source += (static_cast<std::int64_t>(i) == axis ? index[i] / block : index[i]) * strides[i];
      result.data[place++] = operand.data[static_cast<std::size_t>(source)];
    });
    return result;
  }
  if (operand.rank() != 1) return invalid_argument("has a scale of another rank");
  Array laid = operand;
  laid.shape.resize(static_cast<std::size_t>(array.rank() - axis), 1);
  return expanded(laid, array.shape);
}

Evaluated evaluate_quantize(const Call& call) {
  FL_TRY_VOID(call.needs(2));
  Array result = call.in(0);
  const auto asked = static_cast<std::int32_t>(call.integer("output_dtype", 0));
  result.type = call.has(2) ? call.in(2).type : asked != 0 ? asked : kU8;
  FL_TRY(const Bounds bounds, bounds_of(result.type));
  FL_TRY(const Array scale, spread(call, call.in(1), result));
  const Array none{{}, {0}, result.type};
  FL_TRY(const Array zero, spread(call, call.has(2) ? call.in(2) : none, result));
  for (std::size_t i = 0; i < result.data.size(); ++i)
    result.data[i] = rounded(result.data[i] / scale.data[i], zero.data[i], bounds);
  return std::vector{std::move(result)};
}

Evaluated evaluate_dequantize(const Call& call) {
  FL_TRY_VOID(call.needs(2));
  Array result = call.in(0);
  FL_TRY(const Array scale, spread(call, call.in(1), result));
  const Array none{{}, {0}, result.type};
  FL_TRY(const Array zero, spread(call, call.has(2) ? call.in(2) : none, result));
  result.type = call.in(1).type;
  for (std::size_t i = 0; i < result.data.size(); ++i) result.data[i] = (result.data[i] - zero.data[i]) * scale.data[i];
  return std::vector{std::move(result)};
}

Evaluated evaluate_dynamic_quantize(const Call& call) {
  FL_TRY_VOID(call.needs(1));
  Array result = call.in(0);
  double least = 0, most = 0;
  for (const double number : result.data) least = std::min(least, number), most = std::max(most, number);
  const Bounds bounds;
  const double scale = (most - least) / bounds.most;
  const double zero = std::clamp(std::nearbyint(scale == 0 ? 0 : -least / scale), bounds.least, bounds.most);
  for (double& number : result.data) number = rounded(scale == 0 ? 0 : number / scale, zero, bounds);
  result.type = kU8;
  return std::vector{std::move(result), Array{{}, {scale}, 1}, Array{{}, {zero}, kU8}};
}

}  // namespace

void add_quantized(EvaluatorTable& table) {
  table["QuantizeLinear"] = evaluate_quantize;
  table["DequantizeLinear"] = evaluate_dequantize;
  table["DynamicQuantizeLinear"] = evaluate_dynamic_quantize;
}

}  // namespace fuselab::onnx
