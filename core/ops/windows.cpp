// SPDX-License-Identifier: Apache-2.0
#include "core/ops/op_row.h"
#include "core/ops/window_rules.h"

namespace fuselab::ops {
namespace {

using enum AccessPattern;
using enum AttributeKind;
using enum OperandRole;

Result<Types> max_pool(const Call& call) {
  if (call.rank() < 3) return failure(call, "needs X [N,C,…] of rank ≥ 3");
  FL_TRY(const std::vector<Axis> axes, axes_of(call, call.attributes.integers("kernel_shape"), call.shape(0).size() - 2));
  for (const Axis& axis : axes) {
    if (axis.pad_begin >= axis.kernel * axis.dilation || axis.pad_end >= axis.kernel * axis.dilation) {
      return failure(call, "a padding as wide as the window would pool nothing but padding");
    }
  }
  FL_TRY(Shape shape, slide(call, axes));
  return Types{{call.dtype(), std::move(shape)}};
}

Result<Types> average_pool(const Call& call) {
  if (call.rank() >= 3) FL_TRY_VOID(require_floating(call));
  return max_pool(call);
}

Result<Types> global_pool(const Call& call) {
  FL_TRY_VOID(require_floating(call));
  if (call.rank() < 3) return failure(call, "needs X [N,C,…] of rank ≥ 3");
  Shape shape = call.shape(0);
  std::fill(shape.begin() + 2, shape.end(), Dim(1));
  return Types{{call.dtype(), std::move(shape)}};
}

Result<Types> batch_normalization(const Call& call) {
  FL_TRY_VOID(require_floating(call));
  if (call.rank() < 2) return failure(call, "needs X [N,C,…] of rank ≥ 2");
  if (call.attributes.integer("training_mode", 0) != 0) return failure(call, "training_mode is not supported");
  for (std::size_t i = 1; i < 5; ++i) {
    if (call.shape(i) != Shape{call.shape(0)[1]}) return failure(call, "scale, B, mean and variance must be one per channel");
  }
  return Types{call.inputs[0]};
}

double pool_flops(const Call& call, const TensorType& result) {
  double window = 1;
  for (const std::int64_t each : call.attributes.integers("kernel_shape")) window *= static_cast<double>(each);
  return window * elements(result);
}

Schema batch_normalization_attributes() {
  return {real("epsilon", 1e-5), real("momentum", 0.9), integer("training_mode", 0)};
}

Schema max_pool_attributes() {
  return {text("auto_pad", "NOTSET"),          integer("ceil_mode", 0),     optional("dilations", kIntegers),
          required("kernel_shape", kIntegers), optional("pads", kIntegers), integer("storage_order", 0),
          optional("strides", kIntegers)};
}

Schema average_pool_attributes() {
  return {text("auto_pad", "NOTSET"),          integer("ceil_mode", 0),
          integer("count_include_pad", 0),     optional("dilations", kIntegers),
          required("kernel_shape", kIntegers), optional("pads", kIntegers),
          optional("strides", kIntegers)};
}

}  // namespace

constexpr Family<Op::kBatchNormalization, Op::kRotaryEmbedding> kWindows({
    // {name, access, least and most operands, FLOPs}, types, weight, attributes, FLOPs by formula, roles of operands
    {{Op::kBatchNormalization, "BatchNormalization", kSpatial, 5, 5, 2},
     batch_normalization,
     8,
     batch_normalization_attributes,
     nullptr,
     {kValue, kGain, kValue, kValue, kPositive}},
    {{Op::kMaxPool, "MaxPool", kSpatial, 1, 1, 0}, max_pool, 16, max_pool_attributes, pool_flops},
    {{Op::kAveragePool, "AveragePool", kSpatial, 1, 1, 0}, average_pool, 16, average_pool_attributes, pool_flops},
    {{Op::kGlobalAveragePool, "GlobalAveragePool", kReduction, 1, 1, 1}, global_pool},
});

}  // namespace fuselab::ops
