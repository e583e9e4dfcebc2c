// SPDX-License-Identifier: Apache-2.0
#include "core/graph/infer.h"
#include "core/graph/infer_rules.h"

namespace fuselab::infer {
namespace {

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

Result<Types> cross_entropy(const Call& call) {
  FL_TRY_VOID(require_floating(call));
  if (call.rank() < 2) return failure(call, "scores must be [N,C] or [N,C,d1,…]");
  if (call.dtype(1) != DType::kI64 && call.dtype(1) != DType::kI32) return failure(call, "labels must be i32 or i64");
  Shape expected = call.shape(0);
  expected.erase(expected.begin() + 1);
  if (call.shape(1) != expected) return failure(call, "labels must have the shape " + shape_text(expected));
  if (call.inputs.size() == 3) {
    if (call.inputs[2] != TensorType{call.dtype(), {call.shape(0)[1]}}) return failure(call, "weights must be one per class");
  }
  const std::string reduction = call.attributes.text("reduction", "mean");
  if (reduction == "none") return Types{{call.dtype(), std::move(expected)}};
  if (reduction != "mean" && reduction != "sum") {
    return failure(call, "reduction must be \"mean\", \"sum\" or \"none\", got \"" + reduction + "\"");
  }
  return Types{{call.dtype(), {}}};
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

}  // namespace

Result<Types> row_operator(const Call& call) {
  switch (call.op) {
    case Op::kSoftmax:
    case Op::kLogSoftmax:
    case Op::kHardmax: return softmax(call);
    case Op::kArgMax:
    case Op::kArgMin: return place(call);
    case Op::kTopK: return top_k(call);
    case Op::kCumSum: return cumulative_sum(call);
    case Op::kLayerNormalization:
    case Op::kRMSNormalization: return normalization(call);
    case Op::kSoftmaxCrossEntropyLoss:
    case Op::kNegativeLogLikelihoodLoss: return cross_entropy(call);
    default: return reduce(call);
  }
}

}  // namespace fuselab::infer
