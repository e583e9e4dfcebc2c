// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "core/ops/infer.h"
#include "core/ops/op_row.h"

namespace fuselab::ops {
namespace {

using enum AccessPattern;
using enum AttributeKind;
using enum OperandRole;

Status require_indices(const Call& call) {
  if (call.dtype(1) == DType::kI64 || call.dtype(1) == DType::kI32) return Status();
  return failure(call, "indices must be i32 or i64");
}

// Along every other axis an index's place is its own: the data must reach as far.
Result<int> elements_axis(const Call& call) {
  FL_TRY_VOID(require_indices(call));
  if (call.rank(1) != call.rank()) return failure(call, "indices must have the rank of the data");
  FL_TRY(const int axis, normal_axis(call, call.attributes.integer("axis", 0), call.rank()));
  for (std::size_t i = 0; i < call.shape(1).size(); ++i) {
    const Dim& data = call.shape(0)[i];
    const Dim& index = call.shape(1)[i];
    if (static_cast<int>(i) == axis || data == index) continue;
    if (data.is_symbol() || index.is_symbol() || index.extent() > data.extent()) {
      return failure(call, "indices reach beyond the data along axis " + std::to_string(i));
    }
  }
  return axis;
}

// Returns how many axes a tuple of indices names: the extent of the indices' last axis.
Result<std::size_t> tuple_width(const Call& call, std::size_t batch_axes) {
  FL_TRY_VOID(require_indices(call));
  if (call.rank() < 1 || call.rank(1) < 1) return failure(call, "data and indices must have a rank of at least 1");
  const Dim& width = call.shape(1).back();
  if (width.is_symbol()) return failure(call, "the width of its index tuples must be a number");
  if (width.extent() < 1 || width.extent() > call.rank() - static_cast<std::int64_t>(batch_axes)) {
    return failure(call, "tuples of " + width.text() + " indices do not fit the data");
  }
  return static_cast<std::size_t>(width.extent());
}

// Returns the shape of what tuples of indices name: one element of the data's trailing axes for each tuple.
Shape named_by_tuples(const Call& call, std::size_t named_axes) {
  Shape shape(call.shape(1).begin(), call.shape(1).end() - 1);
  shape.insert(shape.end(), call.shape(0).begin() + static_cast<std::ptrdiff_t>(named_axes), call.shape(0).end());
  return shape;
}

Result<Types> gather_elements(const Call& call) {
  FL_TRY([[maybe_unused]] const int axis, elements_axis(call));
  return Types{{call.dtype(), call.shape(1)}};
}

Result<Types> gather_nd(const Call& call) {
  const std::int64_t batch = call.attributes.integer("batch_dims", 0);
  if (batch < 0 || batch >= std::min(call.rank(), call.rank(1))) {
    return failure(call, "batch_dims " + std::to_string(batch) + " does not fit its operands");
  }
  const auto batch_axes = static_cast<std::size_t>(batch);
  for (std::size_t i = 0; i < batch_axes; ++i) {
    if (!same(call.shape(0)[i], call.shape(1)[i])) return failure(call, "data and indices differ along axis " + std::to_string(i));
  }
  FL_TRY(const std::size_t width, tuple_width(call, batch_axes));
  return Types{{call.dtype(), named_by_tuples(call, batch_axes + width)}};
}

Status check_updates(const Call& call, const Shape& expected) {
  if (call.dtype(2) != call.dtype()) return failure(call, "updates must have the element type of the data");
  if (call.shape(2) != expected) return failure(call, "updates must have the shape " + shape_text(expected));
  const std::string reduction = call.attributes.text("reduction", "none");
  for (const char* const known : {"none", "add", "mul", "max", "min"}) {
    if (reduction == known) return Status();
  }
  return failure(call, "reduction must be \"none\", \"add\", \"mul\", \"max\" or \"min\", got \"" + reduction + "\"");
}

Result<Types> scatter_elements(const Call& call) {
  FL_TRY([[maybe_unused]] const int axis, elements_axis(call));
  FL_TRY_VOID(check_updates(call, call.shape(1)));
  return Types{call.inputs[0]};
}

Result<Types> scatter_nd(const Call& call) {
  FL_TRY(const std::size_t width, tuple_width(call, 0));
  FL_TRY_VOID(check_updates(call, named_by_tuples(call, width)));
  return Types{call.inputs[0]};
}

Schema scatter_elements_attributes() {
  return {integer("axis", 0), text("reduction", "none")};
}

}  // namespace

constexpr Family<Op::kGatherElements, Op::kConstant> kIndexed({
    // {name, access, least and most operands, FLOPs}, types, weight, attributes, FLOPs by formula, roles of operands
    {{Op::kGatherElements, "GatherElements", kGather, 2, 2, 0}, gather_elements, 16, [] { return Schema{integer("axis", 0)}; }},
    {{Op::kGatherND, "GatherND", kGather, 2, 2, 0}, gather_nd, 16, [] { return Schema{integer("batch_dims", 0)}; }},
    {{Op::kScatterElements, "ScatterElements", kGather, 3, 3, 0}, scatter_elements, 16, scatter_elements_attributes},
    {{Op::kScatterND, "ScatterND", kGather, 3, 3, 0}, scatter_nd, 16, [] { return Schema{text("reduction", "none")}; }},
});

}  // namespace fuselab::ops
