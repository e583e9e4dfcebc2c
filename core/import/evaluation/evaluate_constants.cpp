// SPDX-License-Identifier: Apache-2.0
// Tensors that a file describes by few numbers.
#include <cmath>

#include "core/import/evaluation/call.h"
#include "onnx_subset.pb.h"

namespace fuselab::onnx {
namespace {

constexpr std::int32_t kF32 = 1, kI64 = 7;

Evaluated evaluate_constant(const Call& call) {
  if (const auto* value = call.attribute("value")) {
    FL_TRY(Array array, array_of(value->t()));
    return std::vector{std::move(array)};
  }
  if (call.attribute("value_float") != nullptr) return std::vector{Array{{}, {call.real("value_float", 0)}, kF32}};
  if (call.attribute("value_int") != nullptr)
    return std::vector{Array{{}, {static_cast<double>(call.integer("value_int", 0))}, kI64}};
  if (call.attribute("value_floats") != nullptr) {
    const auto numbers = call.reals("value_floats");
    return std::vector{Array{{static_cast<std::int64_t>(numbers.size())}, numbers, kF32}};
  }
  if (const auto numbers = call.list("value_ints"))
    return std::vector{Array{{static_cast<std::int64_t>(numbers->size())}, {numbers->begin(), numbers->end()}, kI64}};
  return Error{ErrorCode::kUnsupported, "has a value that is no tensor of numbers"};
}

Evaluated evaluate_constant_of_shape(const Call& call) {
  FL_TRY_VOID(call.needs(1));
  Array value{{1}, {0}, kF32};
  if (const auto* given = call.attribute("value")) {
    FL_TRY(value, array_of(given->t()));
    if (value.count() != 1) return invalid_argument("has a value that is no single number");
  }
  FL_TRY(Array result, zeros(*call.integers(0), value.type));
  result.data.assign(result.data.size(), value.data.front());
  return std::vector{std::move(result)};
}

Evaluated evaluate_range(const Call& call) {
  FL_TRY_VOID(call.needs(3));
  for (std::size_t i = 0; i < 3; ++i) {
    if (call.in(i).count() != 1) return invalid_argument("has a bound that is no single number");
  }
  const double start = call.in(0).data[0], limit = call.in(1).data[0], delta = call.in(2).data[0];
  if (delta == 0) return invalid_argument("counts by 0");
  const double count = std::max(0.0, std::ceil((limit - start) / delta));
  if (!(count <= 0x1p27)) return Error{ErrorCode::kUnsupported, "makes a tensor of more than 1 GiB in float64"};
  FL_TRY(Array result, zeros({static_cast<std::int64_t>(count)}, call.in(0).type));
  for (std::size_t i = 0; i < result.data.size(); ++i) result.data[i] = start + static_cast<double>(i) * delta;
  return std::vector{std::move(result)};
}

Evaluated evaluate_eye_like(const Call& call) {
  FL_TRY_VOID(call.needs(1));
  const Extents& shape = call.in(0).shape;
  if (shape.size() != 2) return invalid_argument("needs a matrix");
  FL_TRY(Array result, zeros(shape, static_cast<std::int32_t>(call.integer("dtype", call.in(0).type))));
  for (std::int64_t row = 0; row < shape[0]; ++row) {
    const std::int64_t column = row + call.integer("k", 0);
    if (column >= 0 && column < shape[1]) result.data[static_cast<std::size_t>(row * shape[1] + column)] = 1;
  }
  return std::vector{std::move(result)};
}

Evaluated evaluate_one_hot(const Call& call) {
  FL_TRY_VOID(call.needs(3));
  const Array& indices = call.in(0);
  if (call.in(1).count() != 1 || call.in(2).count() != 2) return invalid_argument("needs one depth and two values");
  const std::int64_t depth = whole(call.in(1).data[0]);
  FL_TRY(const std::int64_t axis, axis_of(call.integer("axis", -1), indices.rank() + 1));
  Extents shape = indices.shape;
  shape.insert(shape.begin() + axis, depth);
  FL_TRY(Array result, zeros(shape, call.in(2).type));
  result.data.assign(result.data.size(), call.in(2).data[0]);
  const std::int64_t inner = product(indices.shape, axis, indices.rank());
  for (std::int64_t i = 0; i < indices.count(); ++i) {
    std::int64_t hit = whole(indices.data[static_cast<std::size_t>(i)]);
    if (hit < 0) hit += depth;
    if (hit < 0 || hit >= depth) continue;
    result.data[static_cast<std::size_t>((i / inner * depth + hit) * inner + i % inner)] = call.in(2).data[1];
  }
  return std::vector{std::move(result)};
}

Evaluated evaluate_window(const Call& call) {
  FL_TRY_VOID(call.needs(1));
  if (call.in(0).count() != 1) return invalid_argument("needs one size");
  FL_TRY(Array result, zeros({whole(call.in(0).data[0])}, static_cast<std::int32_t>(call.integer("output_datatype", kF32))));
  const double steps = static_cast<double>(result.count()) - (call.integer("periodic", 1) != 0 ? 0 : 1);
  for (std::size_t i = 0; i < result.data.size(); ++i) {
    const double angle = 2 * M_PI * static_cast<double>(i) / steps;
    if (call.op() == "HannWindow") result.data[i] = 0.5 - 0.5 * std::cos(angle);
    if (call.op() == "HammingWindow") result.data[i] = 25.0 / 46 - 21.0 / 46 * std::cos(angle);
    if (call.op() == "BlackmanWindow") result.data[i] = 0.42 - 0.5 * std::cos(angle) + 0.08 * std::cos(2 * angle);
  }
  return std::vector{std::move(result)};
}

Evaluated evaluate_shape(const Call& call) {
  FL_TRY_VOID(call.needs(1));
  const Extents& shape = call.in(0).shape;
  if (call.op() == "Size") return std::vector{Array{{}, {static_cast<double>(call.in(0).count())}, kI64}};
  const auto rank = static_cast<std::int64_t>(shape.size());
  const auto place = [&](std::int64_t index) {
    return std::min(std::max<std::int64_t>(index < 0 ? index + rank : index, 0), rank);
  };
  const std::int64_t first = place(call.integer("start", 0)), last = std::max(first, place(call.integer("end", rank)));
  Array result{{last - first}, {}, kI64};
  for (std::int64_t i = first; i < last; ++i) result.data.push_back(static_cast<double>(shape[static_cast<std::size_t>(i)]));
  return std::vector{std::move(result)};
}

}  // namespace

void add_constants(EvaluatorTable& table) {
  table["Constant"] = evaluate_constant;
  table["ConstantOfShape"] = evaluate_constant_of_shape;
  table["Range"] = evaluate_range;
  table["EyeLike"] = evaluate_eye_like;
  table["OneHot"] = evaluate_one_hot;
  for (const char* const name : {"HannWindow", "HammingWindow", "BlackmanWindow"}) table[name] = evaluate_window;
  table["Shape"] = evaluate_shape;
  table["Size"] = evaluate_shape;
}

}  // namespace fuselab::onnx
