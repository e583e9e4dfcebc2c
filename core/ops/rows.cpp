// SPDX-License-Identifier: Apache-2.0
#include "core/ops/infer.h"
#include "core/ops/op_row.h"

namespace fuselab::ops {
namespace {

using enum AccessPattern;
using enum AttributeKind;
using enum OperandRole;

Result<Types> reduce(const Call& call) {
  if (call.dtype() == DType::kBool) return failure(call, "needs numbers, got bool");
  const bool keep = call.attributes.integer("keepdims", 1) != 0;
  const auto axes = call.attributes.integers("axes");
  FL_TRY(std::vector<bool> reduced, axis_flags(call, axes, call.rank()));
  if (axes.empty()) {
    if (call.attributes.integer("noop_with_empty_axes", 0) != 0) return Types{call.inputs[0]};
    reduced.assign(reduced.size(), true);
  }
  Shape shape;
  for (std::size_t i = 0; i < reduced.size(); ++i) {
    if (!reduced[i]) {
      shape.push_back(call.shape(0)[i]);
    } else if (keep) {
      shape.emplace_back(1);
    }
  }
  return Types{{call.dtype(), std::move(shape)}};
}

// ArgMax and ArgMin: where along an axis the most lies.
Result<Types> place(const Call& call) {
  if (call.dtype() == DType::kBool) return failure(call, "needs numbers, got bool");
  FL_TRY(const int axis, normal_axis(call, call.attributes.integer("axis", 0), call.rank()));
  Shape shape = call.shape(0);
  const auto along = shape.begin() + axis;
  if (*along == Dim(0)) return failure(call, "there is no place along an empty axis");
  if (call.attributes.integer("keepdims", 1) != 0) {
    *along = Dim(1);
  } else {
    shape.erase(along);
  }
  return Types{{DType::kI64, std::move(shape)}};
}

Result<Types> cumulative_sum(const Call& call) {
  if (call.dtype() == DType::kBool) return failure(call, "needs numbers, got bool");
  FL_TRY([[maybe_unused]] const int axis, normal_axis(call, call.attributes.integer("axis", 0), call.rank()));
  return Types{call.inputs[0]};
}

Result<Types> softmax(const Call& call) {
  FL_TRY_VOID(require_floating(call));
  FL_TRY([[maybe_unused]] const int axis, normal_axis(call, call.attributes.integer("axis", -1), call.rank()));
  return Types{call.inputs[0]};
}

// Scale and bias must broadcast one way onto the normalised axes.
Result<Types> normalization(const Call& call) {
  FL_TRY_VOID(require_floating(call));
  FL_TRY_VOID(require_same_dtype(call));
  FL_TRY(const int axis, normal_axis(call, call.attributes.integer("axis", -1), call.rank()));
  const Shape row(call.shape(0).begin() + axis, call.shape(0).end());
  for (std::size_t i = 1; i < call.inputs.size(); ++i) {
    const auto combined = broadcast_shapes(row, call.shape(i));
    if (!combined.ok() || combined.value() != row) {
      return failure(call, (i == 1 ? "the scale " : "the bias ") + shape_text(call.shape(i)) +
                               " does not fit the normalised axes " + shape_text(row));
    }
  }
  return Types{call.inputs[0]};
}

Result<Types> top_k(const Call& call) {
  if (call.dtype() == DType::kBool) return failure(call, "needs numbers, got bool");
  FL_TRY(const int position, normal_axis(call, call.attributes.integer("axis", -1), call.rank()));
  const auto axis = static_cast<std::size_t>(position);
  const std::int64_t k = call.attributes.integer("k", 0);
  Shape shape = call.shape(0);
  if (k < 1) return failure(call, "k must be 1 or more, got " + std::to_string(k));
  if (!shape[axis].is_symbol() && shape[axis].extent() < k)
    return failure(call, "cannot take " + std::to_string(k) + " of " + shape[axis].text() + " elements");
  shape[axis] = Dim(k);
  return Types{{call.dtype(), shape}, {DType::kI64, shape}};
}

Schema reduce_attributes() {
  return {optional("axes", kIntegers), integer("keepdims", 1), integer("noop_with_empty_axes", 0)};
}

Schema place_attributes() {
  return {integer("axis", 0), integer("keepdims", 1), integer("select_last_index", 0)};
}

Schema axis_last() {
  return {integer("axis", -1)};
}

Schema cum_sum_attributes() {
  return {required("axis", kInteger), integer("exclusive", 0), integer("reverse", 0)};
}

Schema top_k_attributes() {
  return {integer("axis", -1), required("k", kInteger), integer("largest", 1)};
}

Schema layer_normalization_attributes() {
  return {integer("axis", -1), real("epsilon", 1e-5), integer("stash_type", 1)};
}

Schema rmsnormalization_attributes() {
  return {integer("axis", -1), real("epsilon", 1e-5), integer("stash_type", 1)};
}

}  // namespace

constexpr Family<Op::kReduceSum, Op::kSoftmaxCrossEntropyLoss> kRows({
    // {name, access, least and most operands, FLOPs}, types, weight, attributes, FLOPs by formula, roles of operands
    {{Op::kReduceSum, "ReduceSum", kReduction, 1, 1, 1}, reduce, 16, reduce_attributes},
    {{Op::kReduceMean, "ReduceMean", kReduction, 1, 1, 1}, reduce, 16, reduce_attributes},
    {{Op::kReduceMax, "ReduceMax", kReduction, 1, 1, 1}, reduce, 16, reduce_attributes},
    {{Op::kReduceProd, "ReduceProd", kReduction, 1, 1, 1}, reduce, 16, reduce_attributes},
    {{Op::kArgMax, "ArgMax", kReduction, 1, 1, 1}, place, 16, place_attributes},
    {{Op::kArgMin, "ArgMin", kReduction, 1, 1, 1}, place, 16, place_attributes},
    {{Op::kCumSum, "CumSum", kReduction, 1, 1, 1}, cumulative_sum, 16, cum_sum_attributes},
    {{Op::kSoftmax, "Softmax", kReduction, 1, 1, 5}, softmax, 16, axis_last},
    {{Op::kLogSoftmax, "LogSoftmax", kReduction, 1, 1, 5}, softmax, 16, axis_last},
    {{Op::kHardmax, "Hardmax", kReduction, 1, 1, 1}, softmax, 16, axis_last},
    {{Op::kTopK, "TopK", kReduction, 1, 1, 1}, top_k, 16, top_k_attributes},
    {{Op::kLayerNormalization, "LayerNormalization", kReduction, 2, 3, 7},
     normalization,
     16,
     layer_normalization_attributes,
     nullptr,
     {kValue, kGain}},
    {{Op::kRMSNormalization, "RMSNormalization", kReduction, 2, 2, 4},
     normalization,
     16,
     rmsnormalization_attributes,
     nullptr,
     {kValue, kGain}},
});

}  // namespace fuselab::ops
