// SPDX-License-Identifier: Apache-2.0
#include "core/import/nodes/composed_operators.h"

#include <algorithm>
#include <iterator>

namespace fuselab::onnx {
namespace {

constexpr std::size_t kAnyNumber = static_cast<std::size_t>(-1);

constexpr ComposedOperator kComposed[] = {
    {"ReduceL1", translate_composed_reduction, 1, 2},
    {"ReduceL2", translate_composed_reduction, 1, 2},
    {"ReduceSumSquare", translate_composed_reduction, 1, 2},
    {"ReduceLogSum", translate_composed_reduction, 1, 2},
    {"ReduceLogSumExp", translate_composed_reduction, 1, 2},
    {"ReduceMin", translate_composed_reduction, 1, 2},
    {"GlobalMaxPool", translate_global_max_pool, 1, 1},
    {"GlobalLpPool", translate_global_lp_pool, 1, 1},
    {"LpPool", translate_lp_pool, 1, 1},
    {"HardSigmoid", translate_activation, 1, 1},
    {"HardSwish", translate_activation, 1, 1},
    {"Elu", translate_activation, 1, 1},
    {"Selu", translate_activation, 1, 1},
    {"Celu", translate_activation, 1, 1},
    {"Softplus", translate_activation, 1, 1},
    {"Softsign", translate_activation, 1, 1},
    {"Mish", translate_activation, 1, 1},
    {"Cosh", translate_activation, 1, 1},
    {"Sinh", translate_activation, 1, 1},
    {"PRelu", translate_prelu, 2, 2},
    {"InstanceNormalization", translate_instance_norm, 3, 3},
    {"GroupNormalization", translate_group_norm, 3, 3},
    {"MeanVarianceNormalization", translate_mean_variance_norm, 1, 1},
    {"LpNormalization", translate_lp_norm, 1, 1},
    {"LRN", translate_local_response_norm, 1, 1},
    {"Tile", translate_tile, 2, 3},
    {"DepthToSpace", translate_depth_to_space, 1, 1},
    {"SpaceToDepth", translate_space_to_depth, 1, 1},
    {"Einsum", translate_einsum, 1, kAnyNumber},
    {"Sum", translate_sum, 1, kAnyNumber},
    {"Mean", translate_sum, 1, kAnyNumber},
    {"CastLike", translate_cast_like, 2, 2},
    {"Range", translate_range, 3, 3},
    {"EyeLike", translate_eye_like, 1, 1},
    {"OneHot", translate_one_hot, 3, 3},
    {"HannWindow", translate_signal_window, 1, 1},
    {"HammingWindow", translate_signal_window, 1, 1},
    {"BlackmanWindow", translate_signal_window, 1, 1},
    {"Size", translate_size, 1, 1},
    {"ConvTranspose", translate_transposed_conv, 2, 3},
    {"QuantizeLinear", translate_quantize, 2, 3},
    {"DequantizeLinear", translate_dequantize, 2, 3},
    {"DynamicQuantizeLinear", translate_dynamic_quantize, 1, 1},
    {"MatMulInteger", translate_matmul_integer, 2, 4},
    {"TensorScatter", translate_tensor_scatter, 2, 3},
};

}  // namespace

const ComposedOperator* find_composed(const std::string& name) {
  const auto found =
      std::find_if(std::begin(kComposed), std::end(kComposed), [&](const ComposedOperator& each) { return name == each.name; });
  return found == std::end(kComposed) ? nullptr : found;
}

}  // namespace fuselab::onnx
