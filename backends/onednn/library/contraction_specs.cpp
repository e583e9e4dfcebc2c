// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "backends/onednn/library/node_specs.h"

namespace fuselab::onednn {
namespace {

using Dims = std::vector<std::int64_t>;

// The leading dimensions as one, where memory has them so.
std::optional<Layout> as_matrix(const Layout& layout) {
  const std::size_t rank = layout.dims.size();
  std::int64_t rows = 1;
  std::int64_t row_stride = layout.strides[rank - 2];
  for (std::size_t i = rank - 1; i-- > 0;) {
    if (layout.dims[i] != 1 && layout.strides[i] != rows * layout.strides[rank - 2]) return std::nullopt;
    rows *= layout.dims[i];
  }
  return with_sound_strides({layout.dtype, {rows, layout.dims[rank - 1]}, {row_stride, layout.strides[rank - 1]}});
}

void pad_to(Layout& layout, std::size_t rank) {
  const std::size_t missing = rank - std::min(rank, layout.dims.size());
  layout.dims.insert(layout.dims.begin(), missing, 1);
  layout.strides.insert(layout.strides.begin(), missing, 1);
  layout = with_sound_strides(std::move(layout));
}

void transpose_last(Layout& layout) {
  const std::size_t rank = layout.dims.size();
  std::swap(layout.dims[rank - 1], layout.dims[rank - 2]);
  std::swap(layout.strides[rank - 1], layout.strides[rank - 2]);
}

Result<Operand> tensor_at(const BoundNode& node, std::size_t index) {
  if (index < node.inputs.size() && node.inputs[index]) return *node.inputs[index];
  return Error{ErrorCode::kUnsupported, "oneDNN takes no constant as an operand of " + std::string(name_of(node.node->op))};
}

Result<PrimitiveSpec> matmul_spec(const BoundNode& node) {
  FL_TRY(Operand left, tensor_at(node, 0));
  FL_TRY(Operand right, tensor_at(node, 1));
  if (left.layout.dims.empty() || right.layout.dims.empty()) return Error{ErrorCode::kUnsupported, "a product of scalars"};
  if (left.layout.dims.size() == 1) pad_to(left.layout, 2);
  if (right.layout.dims.size() == 1) {
    right.layout.dims.push_back(1);
    right.layout.strides.push_back(1);
  }
  if (right.layout.dims.size() == 2 && left.layout.dims.size() > 2) {
    if (const auto matrix = as_matrix(left.layout)) left.layout = *matrix;
  }
  const std::size_t rank = std::max(left.layout.dims.size(), right.layout.dims.size());
  pad_to(left.layout, rank);
  pad_to(right.layout, rank);
  Dims result(rank);
  for (std::size_t i = 0; i + 2 < rank; ++i) result[i] = std::max(left.layout.dims[i], right.layout.dims[i]);
  result[rank - 2] = left.layout.dims[rank - 2];
  result[rank - 1] = right.layout.dims[rank - 1];
  PrimitiveSpec spec;
  spec.kind = PrimitiveKind::kMatMul;
  spec.source = std::move(left);
  spec.weights = std::move(right);
  spec.constant_weights = node.parameters[1];
  spec.destination.layout = row_major(node.result().dtype, std::move(result));
  return spec;
}

// alpha A B + beta C, as beta (alpha / beta A B + C).
Result<PrimitiveSpec> gemm_spec(const BoundNode& node) {
  const Attributes& attributes = node.node->attributes;
  FL_TRY(Operand left, tensor_at(node, 0));
  FL_TRY(Operand right, tensor_at(node, 1));
  if (attributes.integer("transA", 0) != 0) transpose_last(left.layout);
  if (attributes.integer("transB", 0) != 0) transpose_last(right.layout);
  const double alpha = attributes.real("alpha", 1);
  const double beta = attributes.real("beta", 1);
  const bool adds = node.inputs.size() > 2 && beta != 0;
  const Dims result = {left.layout.dims[0], right.layout.dims[1]};
  PrimitiveSpec spec;
  spec.kind = PrimitiveKind::kMatMul;
  spec.source = std::move(left);
  spec.weights = std::move(right);
  spec.constant_weights = node.parameters[1];
  spec.destination.layout = row_major(node.result().dtype, result);
  const double before = adds ? alpha / beta : alpha;
  const auto scale = [&spec](double by) {
    if (by != 1) spec.post_ops.push_back({Algorithm::kLinear, static_cast<float>(by), 0, {}});
  };
  scale(before);
  if (!adds) return spec;
  FL_TRY(const Operand added, tensor_at(node, 2));
  const auto seen = fitted(added, result, result);
  if (!seen) return Error{ErrorCode::kUnsupported, "Gemm adds a tensor of another shape than its product's"};
  if (spec.post_ops.empty() && seen->layout.dims == Dims{1, result[1]}) {
    spec.bias = seen;
  } else {
    spec.post_ops.push_back({Algorithm::kAdd, 0, 0, seen});
  }
  scale(beta);
  return spec;
}

struct Windows {
  Dims strides, dilates, before, after;
};

// The library's dilation counts what lies between two taps.
Result<Windows> windows_of(const Attributes& attributes, std::size_t spatial) {
  Windows windows{attributes.integers("strides", Dims(spatial, 1)), attributes.integers("dilations", Dims(spatial, 1)),
                  Dims(spatial, 0), Dims(spatial, 0)};
  const Dims pads = attributes.integers("pads", Dims(2 * spatial, 0));
  const bool whole = windows.strides.size() == spatial && windows.dilates.size() == spatial && pads.size() == 2 * spatial;
  if (!whole) return Error{ErrorCode::kUnsupported, "windows of another rank than the tensor's"};
  for (std::int64_t& each : windows.dilates) --each;
  std::copy_n(pads.begin(), spatial, windows.before.begin());
  std::copy_n(pads.begin() + static_cast<std::ptrdiff_t>(spatial), spatial, windows.after.begin());
  return windows;
}

void take(PrimitiveSpec& spec, Windows windows) {
  spec.strides = std::move(windows.strides);
  spec.dilates = std::move(windows.dilates);
  spec.padding_before = std::move(windows.before);
  spec.padding_after = std::move(windows.after);
}

}  // namespace

Result<PrimitiveSpec> contraction_spec(const BoundNode& node) {
  return node.node->op == Op::kMatMul ? matmul_spec(node) : gemm_spec(node);
}

Result<PrimitiveSpec> convolution_spec(const BoundNode& node) {
  FL_TRY(Operand source, tensor_at(node, 0));
  FL_TRY(Operand weights, tensor_at(node, 1));
  if (source.layout.dims.size() < 3) return Error{ErrorCode::kUnsupported, "a convolution without a spatial dimension"};
  FL_TRY(Windows windows, windows_of(node.node->attributes, source.layout.dims.size() - 2));
  const std::int64_t groups = node.node->attributes.integer("group", 1);
  if (groups > 1) {
    const std::int64_t filters = weights.layout.dims[0] / groups;
    const std::int64_t stride = weights.layout.strides[0];
    weights.layout.dims[0] = filters;
    weights.layout.dims.insert(weights.layout.dims.begin(), groups);
    weights.layout.strides.insert(weights.layout.strides.begin(), filters * stride);
  }
  PrimitiveSpec spec;
  spec.kind = PrimitiveKind::kConvolution;
  take(spec, std::move(windows));
  spec.destination.layout = row_major(node.result().dtype, extents_of(node.result().shape));
  spec.source = std::move(source);
  weights.layout = with_sound_strides(std::move(weights.layout));
  spec.weights = std::move(weights);
  spec.constant_weights = node.parameters[1];
  if (node.inputs.size() > 2) {
    FL_TRY(spec.bias, tensor_at(node, 2));
  }
  return spec;
}

Result<PrimitiveSpec> pooling_spec(const BoundNode& node) {
  const Attributes& attributes = node.node->attributes;
  FL_TRY(Operand source, tensor_at(node, 0));
  const std::size_t rank = source.layout.dims.size();
  if (rank < 3) return Error{ErrorCode::kUnsupported, "a pool without a spatial dimension"};
  const std::size_t spatial = rank - 2;
  PrimitiveSpec spec;
  spec.kind = PrimitiveKind::kPooling;
  spec.algorithm = node.node->op == Op::kMaxPool ? Algorithm::kPoolMax : Algorithm::kPoolAverage;
  spec.destination.layout = row_major(node.result().dtype, extents_of(node.result().shape));
  if (node.node->op == Op::kGlobalAveragePool) {
    take(spec, {Dims(spatial, 1), Dims(spatial, 0), Dims(spatial, 0), Dims(spatial, 0)});
    spec.window.assign(source.layout.dims.begin() + 2, source.layout.dims.end());
    spec.source = std::move(source);
    return spec;
  }
  FL_TRY(Windows windows, windows_of(attributes, spatial));
  spec.window = attributes.integers("kernel_shape");
  if (spec.window.size() != spatial) return Error{ErrorCode::kUnsupported, "windows of another rank than the tensor's"};
  if (attributes.integer("count_include_pad", 0) != 0 && spec.algorithm == Algorithm::kPoolAverage) {
    spec.algorithm = Algorithm::kPoolAverageWithPadding;
    if (attributes.integer("ceil_mode", 0) != 0) {
      return Error{ErrorCode::kUnsupported, "oneDNN counts the padding that ceil_mode adds, ONNX does not"};
    }
  }
  // With ceil_mode the last window hangs over: for the library that is padding.
  for (std::size_t i = 0; i < spatial; ++i) {
    const std::int64_t reach = (spec.window[i] - 1) * (windows.dilates[i] + 1) + 1;
    const std::int64_t needed = (spec.destination.layout.dims[i + 2] - 1) * windows.strides[i] + reach;
    windows.after[i] = std::max(windows.after[i], needed - source.layout.dims[i + 2] - windows.before[i]);
  }
  take(spec, std::move(windows));
  spec.source = std::move(source);
  return spec;
}

}  // namespace fuselab::onednn
