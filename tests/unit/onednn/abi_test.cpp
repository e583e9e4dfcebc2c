// SPDX-License-Identifier: Apache-2.0
// Compiled only where oneDNN's headers are, of either major: what we declare ourselves is what they say.
#include <gtest/gtest.h>
#include <oneapi/dnnl/dnnl.h>
#include <oneapi/dnnl/dnnl_version.h>

#include <cstddef>
#include <type_traits>

#if DNNL_VERSION_MAJOR == 2
#include "backends/onednn/abi/onednn2_abi.h"
#else
#include "backends/onednn/abi/onednn3_abi.h"
#endif
#include "tests/support/same_abi.h"

namespace fuselab::onednn {
namespace {

#if DNNL_VERSION_MAJOR == 2
namespace own = abi2;
#else
namespace own = abi3;
#endif

#define SAME_VALUE(ours, theirs) static_assert(static_cast<long long>(ours) == static_cast<long long>(theirs), #theirs)

SAME_VALUE(abi::kSuccess, dnnl_success);
SAME_VALUE(abi::kOutOfMemory, dnnl_out_of_memory);
SAME_VALUE(abi::kInvalidArguments, dnnl_invalid_arguments);
SAME_VALUE(abi::kUnimplemented, dnnl_unimplemented);
SAME_VALUE(abi::kRuntimeError, dnnl_runtime_error);
SAME_VALUE(abi::kNotRequired, dnnl_not_required);
SAME_VALUE(abi::kF16, dnnl_f16);
SAME_VALUE(abi::kBf16, dnnl_bf16);
SAME_VALUE(abi::kF32, dnnl_f32);
SAME_VALUE(abi::kS32, dnnl_s32);
SAME_VALUE(abi::kS8, dnnl_s8);
SAME_VALUE(abi::kU8, dnnl_u8);
SAME_VALUE(abi::kMaxDims, DNNL_MAX_NDIMS);
SAME_VALUE(abi::kCpuEngine, dnnl_cpu);
SAME_VALUE(abi::kStreamInOrder, dnnl_stream_in_order);
SAME_VALUE(abi::kForwardInference, dnnl_forward_inference);
SAME_VALUE(abi::kFormatTagAny, dnnl_format_tag_any);
SAME_VALUE(abi::kScratchpadLibrary, dnnl_scratchpad_mode_library);
SAME_VALUE(abi::kScratchpadUser, dnnl_scratchpad_mode_user);
SAME_VALUE(abi::kQueryImplementation, dnnl_query_impl_info_str);
SAME_VALUE(abi::kQueryWeights, dnnl_query_weights_md);
SAME_VALUE(abi::kQuerySource, dnnl_query_src_md);
SAME_VALUE(abi::kQueryDestination, dnnl_query_dst_md);
SAME_VALUE(abi::kQueryScratchpad, dnnl_query_scratchpad_md);
SAME_VALUE(abi::kQueryArgument, dnnl_query_exec_arg_md);
SAME_VALUE(abi::kSource, DNNL_ARG_SRC);
SAME_VALUE(abi::kSource1, DNNL_ARG_SRC_1);
SAME_VALUE(abi::kDestination, DNNL_ARG_DST);
SAME_VALUE(abi::kWeights, DNNL_ARG_WEIGHTS);
SAME_VALUE(abi::kBias, DNNL_ARG_BIAS);
SAME_VALUE(abi::kMean, DNNL_ARG_MEAN);
SAME_VALUE(abi::kVariance, DNNL_ARG_VARIANCE);
SAME_VALUE(abi::kScale, DNNL_ARG_SCALE);
SAME_VALUE(abi::kShift, DNNL_ARG_SHIFT);
SAME_VALUE(abi::kScratchpad, DNNL_ARG_SCRATCHPAD);
SAME_VALUE(abi::kConvolutionDirect, dnnl_convolution_direct);
SAME_VALUE(abi::kPoolingMax, dnnl_pooling_max);
SAME_VALUE(abi::kPoolingAverageWithPadding, dnnl_pooling_avg_include_padding);
SAME_VALUE(abi::kPoolingAverage, dnnl_pooling_avg_exclude_padding);
SAME_VALUE(abi::kSoftmaxAccurate, dnnl_softmax_accurate);
SAME_VALUE(abi::kSoftmaxLog, dnnl_softmax_log);
SAME_VALUE(abi::kBinaryAdd, dnnl_binary_add);
SAME_VALUE(abi::kBinaryMul, dnnl_binary_mul);
SAME_VALUE(abi::kBinaryMax, dnnl_binary_max);
SAME_VALUE(abi::kBinaryMin, dnnl_binary_min);
SAME_VALUE(abi::kBinaryDiv, dnnl_binary_div);
SAME_VALUE(abi::kBinarySub, dnnl_binary_sub);
SAME_VALUE(abi::kReductionMax, dnnl_reduction_max);
SAME_VALUE(abi::kReductionSum, dnnl_reduction_sum);
SAME_VALUE(abi::kReductionMul, dnnl_reduction_mul);
SAME_VALUE(abi::kReductionMean, dnnl_reduction_mean);
SAME_VALUE(abi::kUseGlobalStatistics, dnnl_use_global_stats);
SAME_VALUE(abi::kRuntimeSequential, DNNL_RUNTIME_SEQ);
SAME_VALUE(abi::kRuntimeOpenMp, DNNL_RUNTIME_OMP);
SAME_VALUE(abi::kRuntimeTbb, DNNL_RUNTIME_TBB);
SAME_VALUE(own::kRelu, dnnl_eltwise_relu);
SAME_VALUE(own::kTanh, dnnl_eltwise_tanh);
SAME_VALUE(own::kAbs, dnnl_eltwise_abs);
SAME_VALUE(own::kSqrt, dnnl_eltwise_sqrt);
SAME_VALUE(own::kLinear, dnnl_eltwise_linear);
SAME_VALUE(own::kLogistic, dnnl_eltwise_logistic);
SAME_VALUE(own::kExp, dnnl_eltwise_exp);
SAME_VALUE(own::kGeluTanh, dnnl_eltwise_gelu_tanh);
SAME_VALUE(own::kSwish, dnnl_eltwise_swish);
SAME_VALUE(own::kLog, dnnl_eltwise_log);
SAME_VALUE(own::kClip, dnnl_eltwise_clip_v2);
SAME_VALUE(own::kPow, dnnl_eltwise_pow);
SAME_VALUE(own::kGeluErf, dnnl_eltwise_gelu_erf);
SAME_VALUE(own::kRound, dnnl_eltwise_round);
SAME_VALUE(own::kUseScale, dnnl_use_scale);
SAME_VALUE(own::kUseShift, dnnl_use_shift);
#if DNNL_VERSION_MAJOR == 2
SAME_VALUE(abi::kPostOpBase, DNNL_ARG_ATTR_MULTIPLE_POST_OP(0));
#else
static_assert(DNNL_ARG_ATTR_MULTIPLE_POST_OP(0) == abi::kPostOpBase || DNNL_ARG_ATTR_MULTIPLE_POST_OP(0) == abi::kPostOpBaseLater);
#endif

static_assert(sizeof(abi::Version) == sizeof(dnnl_version_t));
static_assert(offsetof(abi::Version, hash) == offsetof(dnnl_version_t, hash));
static_assert(offsetof(abi::Version, cpu_runtime) == offsetof(dnnl_version_t, cpu_runtime));
static_assert(sizeof(abi::ExecutionArgument) == sizeof(dnnl_exec_arg_t));
static_assert(offsetof(abi::ExecutionArgument, memory) == offsetof(dnnl_exec_arg_t, memory));
#if DNNL_VERSION_MAJOR == 2
static_assert(sizeof(own::MemoryStorage) >= sizeof(dnnl_memory_desc_t));
static_assert(alignof(own::MemoryStorage) >= alignof(dnnl_memory_desc_t));
static_assert(sizeof(own::OperationStorage) >= sizeof(dnnl_convolution_desc_t), "the largest that is used");
static_assert(sizeof(own::OperationStorage) >= sizeof(dnnl_batch_normalization_desc_t));
static_assert(sizeof(own::OperationStorage) >= sizeof(dnnl_layer_normalization_desc_t));
static_assert(sizeof(own::OperationStorage) >= sizeof(dnnl_matmul_desc_t));
static_assert(sizeof(own::OperationStorage) >= sizeof(dnnl_pooling_v2_desc_t));
static_assert(sizeof(own::OperationStorage) >= sizeof(dnnl_softmax_v2_desc_t));
static_assert(sizeof(own::OperationStorage) >= sizeof(dnnl_binary_desc_t));
#endif

#define SAME_CALL(functions, ours, theirs) \
  static_assert(test::SameCall<decltype(functions::ours), std::add_pointer_t<decltype(theirs)>>::value, #theirs)

SAME_CALL(abi::Functions, version, dnnl_version);
SAME_CALL(abi::Functions, effective_isa, dnnl_get_effective_cpu_isa);
SAME_CALL(abi::Functions, set_cache_capacity, dnnl_set_primitive_cache_capacity);
SAME_CALL(abi::Functions, create_engine, dnnl_engine_create);
SAME_CALL(abi::Functions, create_stream, dnnl_stream_create);
SAME_CALL(abi::Functions, wait, dnnl_stream_wait);
SAME_CALL(abi::Functions, create_memory, dnnl_memory_create);
SAME_CALL(abi::Functions, set_data, dnnl_memory_set_data_handle);
SAME_CALL(abi::Functions, destroy_memory, dnnl_memory_destroy);
SAME_CALL(abi::Functions, bytes_of, dnnl_memory_desc_get_size);
SAME_CALL(abi::Functions, equal, dnnl_memory_desc_equal);
SAME_CALL(abi::Functions, query, dnnl_primitive_desc_query);
SAME_CALL(abi::Functions, query_memory, dnnl_primitive_desc_query_md);
SAME_CALL(abi::Functions, destroy_description, dnnl_primitive_desc_destroy);
SAME_CALL(abi::Functions, create_primitive, dnnl_primitive_create);
SAME_CALL(abi::Functions, execute, dnnl_primitive_execute);
SAME_CALL(abi::Functions, destroy_primitive, dnnl_primitive_destroy);
SAME_CALL(abi::Functions, create_attributes, dnnl_primitive_attr_create);
SAME_CALL(abi::Functions, destroy_attributes, dnnl_primitive_attr_destroy);
SAME_CALL(abi::Functions, set_post_ops, dnnl_primitive_attr_set_post_ops);
SAME_CALL(abi::Functions, set_scratchpad, dnnl_primitive_attr_set_scratchpad_mode);
SAME_CALL(abi::Functions, create_post_ops, dnnl_post_ops_create);
SAME_CALL(abi::Functions, destroy_post_ops, dnnl_post_ops_destroy);
SAME_CALL(abi::Functions, append_binary, dnnl_post_ops_append_binary);
SAME_CALL(abi::Functions, describe_reorder, dnnl_reorder_primitive_desc_create);
#if DNNL_VERSION_MAJOR == 2
SAME_CALL(own::Functions2, memory_of_strides, dnnl_memory_desc_init_by_strides);
SAME_CALL(own::Functions2, memory_of_tag, dnnl_memory_desc_init_by_tag);
SAME_CALL(own::Functions2, append_eltwise, dnnl_post_ops_append_eltwise);
SAME_CALL(own::Functions2, describe, dnnl_primitive_desc_create);
SAME_CALL(own::Functions2, matmul, dnnl_matmul_desc_init);
SAME_CALL(own::Functions2, convolution, dnnl_dilated_convolution_forward_desc_init);
SAME_CALL(own::Functions2, softmax, dnnl_softmax_v2_forward_desc_init);
SAME_CALL(own::Functions2, layer_normalization, dnnl_layer_normalization_forward_desc_init);
SAME_CALL(own::Functions2, batch_normalization, dnnl_batch_normalization_forward_desc_init);
SAME_CALL(own::Functions2, pooling, dnnl_pooling_v2_forward_desc_init);
SAME_CALL(own::Functions2, eltwise, dnnl_eltwise_forward_desc_init);
SAME_CALL(own::Functions2, binary, dnnl_binary_desc_init);
SAME_CALL(own::Functions2, reduction, dnnl_reduction_desc_init);
#else
SAME_CALL(own::Functions3, memory_of_strides, dnnl_memory_desc_create_with_strides);
SAME_CALL(own::Functions3, memory_of_tag, dnnl_memory_desc_create_with_tag);
SAME_CALL(own::Functions3, destroy_memory_desc, dnnl_memory_desc_destroy);
SAME_CALL(own::Functions3, append_eltwise, dnnl_post_ops_append_eltwise);
SAME_CALL(own::Functions3, matmul, dnnl_matmul_primitive_desc_create);
SAME_CALL(own::Functions3, convolution, dnnl_convolution_forward_primitive_desc_create);
SAME_CALL(own::Functions3, softmax, dnnl_softmax_forward_primitive_desc_create);
SAME_CALL(own::Functions3, layer_normalization, dnnl_layer_normalization_forward_primitive_desc_create);
SAME_CALL(own::Functions3, batch_normalization, dnnl_batch_normalization_forward_primitive_desc_create);
SAME_CALL(own::Functions3, pooling, dnnl_pooling_forward_primitive_desc_create);
SAME_CALL(own::Functions3, eltwise, dnnl_eltwise_forward_primitive_desc_create);
SAME_CALL(own::Functions3, binary, dnnl_binary_primitive_desc_create);
SAME_CALL(own::Functions3, reduction, dnnl_reduction_primitive_desc_create);
#endif

TEST(OneDnnAbi, IsWhatTheHeadersSay) {
  RecordProperty("headers", std::to_string(DNNL_VERSION_MAJOR) + "." + std::to_string(DNNL_VERSION_MINOR));
  EXPECT_GE(DNNL_VERSION_MAJOR, 2);
}

}  // namespace
}  // namespace fuselab::onednn
