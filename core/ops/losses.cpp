// SPDX-License-Identifier: Apache-2.0
#include "core/ops/infer.h"
#include "core/ops/op_row.h"

namespace fuselab::ops {
namespace {

using enum AccessPattern;
using enum AttributeKind;
using enum OperandRole;

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

Schema loss_attributes() {
  return {optional("ignore_index", kInteger), text("reduction", "mean")};
}

// It reads one number of each row, negates it and weights it.
double label_flops(const Call& call, const TensorType&) {
  return 2 * elements(call.inputs[1]);
}

}  // namespace

constexpr Family<Op::kSoftmaxCrossEntropyLoss, Op::kMatMul> kLosses({
    // {name, access, least and most operands, FLOPs}, types, weight, attributes, FLOPs by formula, roles of operands
    {{Op::kSoftmaxCrossEntropyLoss, "SoftmaxCrossEntropyLoss", kReduction, 2, 3, 5}, cross_entropy, 16, loss_attributes},
    {{Op::kNegativeLogLikelihoodLoss, "NegativeLogLikelihoodLoss", kReduction, 2, 3, 0},
     cross_entropy,
     16,
     loss_attributes,
     label_flops},
});

}  // namespace fuselab::ops
