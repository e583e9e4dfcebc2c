// SPDX-License-Identifier: Apache-2.0
#include "core/ops/infer.h"

#include <algorithm>

#include "core/ops/op_row.h"

namespace fuselab {
namespace ops {

Error failure(const Call& call, std::string_view what) {
  std::string message = std::string(name_of(call.op)) + ": " + std::string(what);
  const std::size_t shown = std::min<std::size_t>(call.inputs.size(), 6);
  for (std::size_t i = 0; i < shown; ++i) message += (i == 0 ? " (inputs " : ", ") + type_text(call.inputs[i]);
  if (shown > 0) message += shown < call.inputs.size() ? ", …)" : ")";
  return invalid_argument(std::move(message));
}

Status require_floating(const Call& call) {
  if (!is_floating(call.dtype())) return failure(call, "needs a floating-point type, got " + std::string(name_of(call.dtype())));
  return Status();
}

Status require_same_dtype(const Call& call) {
  for (std::size_t i = 1; i < call.inputs.size(); ++i) {
    if (call.dtype(i) != call.dtype()) {
      return failure(call, "operands must have one element type, operand " + std::to_string(i) + " is " +
                               std::string(name_of(call.dtype(i))) + ", not " + std::string(name_of(call.dtype())));
    }
  }
  return Status();
}

Result<int> normal_axis(const Call& call, std::int64_t axis, int rank) {
  if (axis < -rank || axis >= rank) {
    return failure(call, "axis " + std::to_string(axis) + " is outside rank " + std::to_string(rank));
  }
  return static_cast<int>(axis < 0 ? axis + rank : axis);
}

Result<std::vector<bool>> axis_flags(const Call& call, const std::vector<std::int64_t>& axes, int rank) {
  std::vector<bool> flags(static_cast<std::size_t>(rank), false);
  for (const std::int64_t each : axes) {
    FL_TRY(const int axis, normal_axis(call, each, rank));
    if (flags[static_cast<std::size_t>(axis)]) return failure(call, "axis " + std::to_string(each) + " is given twice");
    flags[static_cast<std::size_t>(axis)] = true;
  }
  return flags;
}

std::optional<Dim> product(std::span<const Dim> dims) {
  Shape numbers;
  std::optional<Dim> result = Dim(1);
  for (const Dim& dim : dims) {
    if (!dim.is_symbol()) {
      numbers.push_back(dim);
    } else if (result) {
      result = fuselab::product(*result, dim);
    }
  }
  const auto count = element_count(numbers);
  if (!count.ok()) return std::nullopt;
  return result ? fuselab::product(*result, Dim(count.value())) : std::nullopt;
}

namespace {

std::string count_text(const OpInfo& info) {
  const std::string least = std::to_string(info.min_inputs);
  if (info.max_inputs < 0) return "at least " + least;
  return info.max_inputs == info.min_inputs ? least : least + " to " + std::to_string(info.max_inputs);
}

}  // namespace
}  // namespace ops

Result<std::vector<TensorType>> infer_types(Op op, std::span<const TensorType> inputs, const Attributes& attributes) {
  const ops::Call call{op, inputs, attributes};
  const OpInfo& info = info_of(op);
  const int given = static_cast<int>(inputs.size());
  if (given < info.min_inputs || (info.max_inputs >= 0 && given > info.max_inputs)) {
    return ops::failure(call, "takes " + ops::count_text(info) + " inputs, got " + std::to_string(given));
  }
  FL_TRY_VOID(check_attributes(op, attributes));
  FL_TRY(std::vector<TensorType> types, ops::row_of(op).infer(call));
  for (const TensorType& type : types) {
    if (type.shape.size() > kMaxRank) return ops::failure(call, "its result has more than 8 dimensions");
    // A few numbers, Expand's target for instance, may ask for more than anything can count.
    if (!is_concrete(type.shape)) continue;
    if (const auto size = size_of(type); !size.ok()) return ops::failure(call, "its result: " + size.error().message);
  }
  return types;
}

Result<Shape> broadcast_shapes(const Shape& a, const Shape& b) {
  const Shape& longer = a.size() >= b.size() ? a : b;
  const Shape& shorter = a.size() >= b.size() ? b : a;
  Shape result = longer;
  const std::size_t skip = longer.size() - shorter.size();
  for (std::size_t i = 0; i < shorter.size(); ++i) {
    const Dim& left = longer[skip + i];
    const Dim& right = shorter[i];
    if (left == right || right == Dim(1)) continue;
    if (left != Dim(1)) {
      return invalid_argument("shapes " + shape_text(a) + " and " + shape_text(b) + " do not broadcast: " + left.text() +
                              " against " + right.text());
    }
    result[skip + i] = right;
  }
  return result;
}

}  // namespace fuselab
