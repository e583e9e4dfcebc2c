// SPDX-License-Identifier: Apache-2.0
#include "core/graph/infer.h"

#include <algorithm>

#include "core/graph/infer_rules.h"
#include "core/graph/op_attributes.h"

namespace fuselab {
namespace infer {

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

Result<Types> by_access(const Call& call) {
  if (call.op == Op::kConstant) return constant(call);
  if (call.op == Op::kConv || call.op == Op::kGlobalAveragePool) return window(call);
  if (call.op == Op::kRotaryEmbedding) return movement(call);
  if (is_recurrence(call.op)) return recurrence(call);
  switch (info_of(call.op).access) {
    case AccessPattern::kElementWise: return elementwise(call);
    case AccessPattern::kReduction: return row_operator(call);
    case AccessPattern::kContraction: return contraction(call);
    case AccessPattern::kSpatial: return window(call);
    case AccessPattern::kMovement:
    case AccessPattern::kGather: return movement(call);
    case AccessPattern::kLeaf:
    case AccessPattern::kOpaque: break;
  }
  return failure(call, "its types cannot be inferred; use add_opaque");
}

std::string count_text(const OpInfo& info) {
  const std::string least = std::to_string(info.min_inputs);
  if (info.max_inputs < 0) return "at least " + least;
  return info.max_inputs == info.min_inputs ? least : least + " to " + std::to_string(info.max_inputs);
}

}  // namespace
}  // namespace infer

Result<std::vector<TensorType>> infer_types(Op op, std::span<const TensorType> inputs, const Attributes& attributes) {
  const infer::Call call{op, inputs, attributes};
  const OpInfo& info = info_of(op);
  const int given = static_cast<int>(inputs.size());
  if (given < info.min_inputs || (info.max_inputs >= 0 && given > info.max_inputs)) {
    return infer::failure(call, "takes " + infer::count_text(info) + " inputs, got " + std::to_string(given));
  }
  FL_TRY_VOID(check_attributes(op, attributes));
  FL_TRY(std::vector<TensorType> types, infer::by_access(call));
  for (const TensorType& type : types) {
    if (type.shape.size() > kMaxRank) return infer::failure(call, "its result has more than 8 dimensions");
    // A few numbers, Expand's target for instance, may ask for more than anything can count.
    if (!is_concrete(type.shape)) continue;
    if (const auto size = size_of(type); !size.ok()) return infer::failure(call, "its result: " + size.error().message);
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
