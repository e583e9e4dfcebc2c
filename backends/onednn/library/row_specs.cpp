// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <numeric>

#include "backends/onednn/library/node_specs.h"

namespace fuselab::onednn {
namespace {

using Dims = std::vector<std::int64_t>;

std::size_t axis_of(std::int64_t axis, std::size_t rank) {
  return static_cast<std::size_t>(axis < 0 ? axis + static_cast<std::int64_t>(rank) : axis);
}

Result<Operand> factors(const BoundNode& node, std::size_t index, std::int64_t count) {
  if (index >= node.inputs.size() || !node.inputs[index]) {
    return Error{ErrorCode::kUnsupported, "a constant factor of " + std::string(name_of(node.node->op))};
  }
  const Operand& given = *node.inputs[index];
  if (given.layout.dtype != DType::kF32) {
    return Error{ErrorCode::kUnsupported, "oneDNN takes the factors of " + std::string(name_of(node.node->op)) + " in f32 only"};
  }
  if (elements_of(given.layout) != count || !is_row_major(given.layout)) {
    return Error{ErrorCode::kUnsupported, "factors of another shape than the normalized one"};
  }
  return Operand{given.tensor, row_major(DType::kF32, {count})};
}

Result<PrimitiveSpec> softmax_spec(const BoundNode& node) {
  PrimitiveSpec spec;
  spec.kind = PrimitiveKind::kSoftmax;
  spec.algorithm = node.node->op == Op::kSoftmax ? Algorithm::kSoftmax : Algorithm::kLogSoftmax;
  spec.source = *node.inputs[0];
  spec.axis = static_cast<int>(axis_of(node.node->attributes.integer("axis", -1), spec.source.layout.dims.size()));
  return spec;
}

Result<PrimitiveSpec> layer_normalization_spec(const BoundNode& node) {
  PrimitiveSpec spec;
  spec.kind = PrimitiveKind::kLayerNormalization;
  const Layout& source = node.inputs[0]->layout;
  if (!is_row_major(source)) return Error{ErrorCode::kUnsupported, "a normalization of a transposed tensor"};
  const std::size_t axis = axis_of(node.node->attributes.integer("axis", -1), source.dims.size());
  std::int64_t inner = 1;
  for (std::size_t i = axis; i < source.dims.size(); ++i) inner *= source.dims[i];
  const std::int64_t outer = inner == 0 ? 0 : elements_of(source) / inner;
  spec.source = {node.inputs[0]->tensor, row_major(source.dtype, {outer, inner})};
  spec.destination.layout = row_major(node.result().dtype, {outer, inner});
  spec.epsilon = static_cast<float>(node.node->attributes.real("epsilon", 1e-5));
  FL_TRY(spec.scale, factors(node, 1, inner));
  if (node.inputs.size() > 2) {
    FL_TRY(spec.shift, factors(node, 2, inner));
  }
  return spec;
}

Result<PrimitiveSpec> batch_normalization_spec(const BoundNode& node) {
  PrimitiveSpec spec;
  spec.kind = PrimitiveKind::kBatchNormalization;
  spec.source = *node.inputs[0];
  if (spec.source.layout.dims.size() < 2) return Error{ErrorCode::kUnsupported, "a batch normalization without channels"};
  const std::int64_t channels = spec.source.layout.dims[1];
  spec.epsilon = static_cast<float>(node.node->attributes.real("epsilon", 1e-5));
  FL_TRY(spec.scale, factors(node, 1, channels));
  FL_TRY(spec.shift, factors(node, 2, channels));
  FL_TRY(spec.mean, factors(node, 3, channels));
  FL_TRY(spec.variance, factors(node, 4, channels));
  return spec;
}

Algorithm reduction_of(Op op) {
  switch (op) {
    case Op::kReduceSum: return Algorithm::kReduceSum;
    case Op::kReduceMean: return Algorithm::kReduceMean;
    case Op::kReduceMax: return Algorithm::kReduceMax;
    default: return Algorithm::kReduceProd;
  }
}

Result<PrimitiveSpec> reduction_spec(const BoundNode& node) {
  PrimitiveSpec spec;
  spec.kind = PrimitiveKind::kReduction;
  spec.algorithm = reduction_of(node.node->op);
  spec.source = *node.inputs[0];
  Dims kept = spec.source.layout.dims;
  Dims axes = node.node->attributes.integers("axes");
  if (axes.empty()) {
    axes.resize(kept.size());
    std::iota(axes.begin(), axes.end(), std::int64_t{0});
  }
  for (const std::int64_t axis : axes) kept[axis_of(axis, kept.size())] = 1;
  if (kept == spec.source.layout.dims) return Error{ErrorCode::kUnsupported, "oneDNN reduces no dimension of one element"};
  spec.destination.layout = row_major(node.result().dtype, std::move(kept));
  return spec;
}

}  // namespace

Result<PrimitiveSpec> row_spec(const BoundNode& node) {
  if (node.inputs.empty() || !node.inputs[0] || node.inputs[0]->layout.dims.empty()) {
    return Error{ErrorCode::kUnsupported, std::string(name_of(node.node->op)) + " of a scalar"};
  }
  switch (node.node->op) {
    case Op::kSoftmax:
    case Op::kLogSoftmax: return softmax_spec(node);
    case Op::kLayerNormalization: return layer_normalization_spec(node);
    case Op::kBatchNormalization: return batch_normalization_spec(node);
    default: return reduction_spec(node);
  }
}

Result<PrimitiveSpec> node_spec(const BoundNode& node) {
  switch (node.node->op) {
    case Op::kMatMul:
    case Op::kGemm: return contraction_spec(node);
    case Op::kConv: return convolution_spec(node);
    case Op::kMaxPool:
    case Op::kAveragePool:
    case Op::kGlobalAveragePool: return pooling_spec(node);
    case Op::kSoftmax:
    case Op::kLogSoftmax:
    case Op::kLayerNormalization:
    case Op::kBatchNormalization:
    case Op::kReduceSum:
    case Op::kReduceMean:
    case Op::kReduceMax:
    case Op::kReduceProd: {
      FL_TRY(PrimitiveSpec spec, row_spec(node));
      if (spec.destination.layout.dims.empty()) {
        spec.destination.layout = row_major(node.result().dtype, extents_of(node.result().shape));
      }
      return spec;
    }
    default: return element_wise_spec(node);
  }
}

}  // namespace fuselab::onednn
