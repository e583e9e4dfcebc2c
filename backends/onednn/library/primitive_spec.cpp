// SPDX-License-Identifier: Apache-2.0
#include "backends/onednn/library/primitive_spec.h"

#include "core/extents/strides.h"

namespace fuselab::onednn {

Layout row_major(DType dtype, std::vector<std::int64_t> dims) {
  std::vector<std::int64_t> strides = strides_of(dims);
  return {dtype, std::move(dims), std::move(strides)};
}

bool is_row_major(const Layout& layout) {
  std::int64_t stride = 1;
  for (std::size_t i = layout.dims.size(); i-- > 0;) {
    if (layout.dims[i] != 1 && layout.strides[i] != stride) return false;
    stride *= layout.dims[i];
  }
  return true;
}

Layout with_sound_strides(Layout layout) {
  for (std::size_t i = layout.dims.size(); i-- > 0;) {
    if (layout.dims[i] != 1) continue;
    layout.strides[i] = i + 1 < layout.dims.size() ? layout.strides[i + 1] * layout.dims[i + 1] : 1;
  }
  return layout;
}

std::int64_t elements_of(const Layout& layout) {
  return product_of(layout.dims);
}

std::string_view name_of(PrimitiveKind kind) {
  switch (kind) {
    case PrimitiveKind::kMatMul: return "matmul";
    case PrimitiveKind::kConvolution: return "convolution";
    case PrimitiveKind::kSoftmax: return "softmax";
    case PrimitiveKind::kLayerNormalization: return "layer normalization";
    case PrimitiveKind::kBatchNormalization: return "batch normalization";
    case PrimitiveKind::kPooling: return "pooling";
    case PrimitiveKind::kEltwise: return "eltwise";
    case PrimitiveKind::kBinary: return "binary";
    case PrimitiveKind::kReduction: return "reduction";
    case PrimitiveKind::kReorder: return "reorder";
  }
  FL_ASSERT(false);
}

std::string_view name_of(Algorithm algorithm) {
  switch (algorithm) {
    case Algorithm::kNone: return "";
    case Algorithm::kRelu: return "relu";
    case Algorithm::kTanh: return "tanh";
    case Algorithm::kAbs: return "abs";
    case Algorithm::kSqrt: return "sqrt";
    case Algorithm::kLinear: return "linear";
    case Algorithm::kLogistic: return "logistic";
    case Algorithm::kExp: return "exp";
    case Algorithm::kGeluTanh: return "gelu_tanh";
    case Algorithm::kGeluErf: return "gelu_erf";
    case Algorithm::kSwish: return "swish";
    case Algorithm::kLog: return "log";
    case Algorithm::kClip: return "clip";
    case Algorithm::kPow: return "pow";
    case Algorithm::kRound: return "round";
    case Algorithm::kAdd: return "add";
    case Algorithm::kSub: return "sub";
    case Algorithm::kMul: return "mul";
    case Algorithm::kDiv: return "div";
    case Algorithm::kMin: return "min";
    case Algorithm::kMax: return "max";
    case Algorithm::kReduceSum: return "sum";
    case Algorithm::kReduceMean: return "mean";
    case Algorithm::kReduceMax: return "max";
    case Algorithm::kReduceProd: return "mul";
    case Algorithm::kPoolMax: return "max";
    case Algorithm::kPoolAverage: return "average";
    case Algorithm::kPoolAverageWithPadding: return "average with padding";
    case Algorithm::kSoftmax: return "accurate";
    case Algorithm::kLogSoftmax: return "log";
  }
  FL_ASSERT(false);
}

}  // namespace fuselab::onednn
