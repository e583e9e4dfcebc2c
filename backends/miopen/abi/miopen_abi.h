// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

// The part of MIOpen's interface that Fuselab uses, declared here so that no ROCm header is needed to build. Looked up in
// include/miopen/miopen.h of ROCm/MIOpen (MIT; MIOpen 2.19 to 3.5). Never called on the real library yet. Descriptors, plans and
// handles are opaque pointers.
namespace fuselab::miopen::abi {

using Code = int;  // miopenStatus_t
inline constexpr Code kSuccess = 0;
inline constexpr Code kInvalidValue = 2;
inline constexpr Code kBadParm = 3;
inline constexpr Code kAllocFailed = 4;
inline constexpr Code kInternalError = 5;
inline constexpr Code kNotImplemented = 6;
inline constexpr Code kUnsupportedOp = 8;

inline constexpr int kHalf = 0, kFloat = 1, kBFloat16 = 5;  // miopenDataType_t
inline constexpr int kConvolution = 0;                      // miopenConvolutionMode_t: a cross-correlation, as ONNX's
inline constexpr int kVertical = 0;                         // miopenFusionDirection_t
// miopenActivationMode_t: 1 / (1 + e^-x), beta · tanh(alpha · x), max(0, x)
inline constexpr int kLogistic = 1, kTanh = 2, kRelu = 3;
inline constexpr int kFft = 2, kWinograd = 3;  // miopenConvAlgorithm_t

struct Solution {  // miopenConvSolution_t
  float time;      // ms, as MIOpen's database or its guess has it
  std::size_t workspace;
  std::uint64_t id;
  int algorithm;
};
static_assert(sizeof(Solution) == 32);

struct Functions {
  Code (*create)(void** handle, void* stream);
  Code (*set_stream)(void* handle, void* stream);
  Code (*version)(std::size_t* major, std::size_t* minor, std::size_t* patch);
  Code (*tensor_create)(void** tensor);
  Code (*tensor_set)(void* tensor, int type, int axes, const int* extents, const int* strides);
  Code (*tensor_destroy)(void* tensor);
  Code (*convolution_create)(void** convolution);
  Code (*convolution_set)(void* convolution, int mode, int pad_h, int pad_w, int stride_h, int stride_w, int dilation_h,
                          int dilation_w);
  Code (*convolution_groups)(void* convolution, int groups);
  Code (*convolution_destroy)(void* convolution);
  Code (*activation_create)(void** activation);
  Code (*activation_set)(void* activation, int mode, double alpha, double beta, double gamma);
  Code (*activation_destroy)(void* activation);
  Code (*solution_count)(void* handle, void* w, void* x, void* convolution, void* y, std::size_t* count);
  Code (*solutions)(void* handle, void* w, void* x, void* convolution, void* y, std::size_t most, std::size_t* count,
                    Solution* solutions);
  Code (*solution_compile)(void* handle, void* w, void* x, void* convolution, void* y, std::uint64_t id);
  Code (*convolve)(void* handle, void* w_tensor, const void* w, void* x_tensor, const void* x, void* convolution, void* y_tensor,
                   void* y, void* workspace, std::size_t workspace_bytes, std::uint64_t id);
  Code (*add_bias)(void* handle, const void* alpha, void* bias_tensor, const void* bias, const void* beta, void* y_tensor, void* y);
  Code (*activate)(void* handle, void* activation, const void* alpha, void* x_tensor, const void* x, const void* beta,
                   void* y_tensor, void* y);
  Code (*plan_create)(void** plan, int direction, void* x_tensor);
  Code (*plan_destroy)(void* plan);
  Code (*plan_convolution)(void* plan, void** op, void* convolution, void* w_tensor);
  Code (*plan_bias)(void* plan, void** op, void* bias_tensor);
  Code (*plan_activation)(void* plan, void** op, int mode);
  Code (*plan_compile)(void* handle, void* plan);
  Code (*arguments_create)(void** arguments);
  Code (*arguments_destroy)(void* arguments);
  Code (*arguments_convolution)(void* arguments, void* op, const void* alpha, const void* beta, const void* w);
  Code (*arguments_bias)(void* arguments, void* op, const void* alpha, const void* beta, const void* bias);
  Code (*arguments_activation)(void* arguments, void* op, const void* alpha, const void* beta, double a, double b, double c);
  Code (*plan_execute)(void* handle, void* plan, void* x_tensor, const void* x, void* y_tensor, void* y, void* arguments);
};

// X(entry, name)
// clang-format off
#define FL_MIOPEN_CALLS(X) \
  X(create, miopenCreateWithStream) X(set_stream, miopenSetStream) X(version, miopenGetVersion) \
  X(tensor_create, miopenCreateTensorDescriptor) X(tensor_set, miopenSetTensorDescriptor) \
  X(tensor_destroy, miopenDestroyTensorDescriptor) X(convolution_create, miopenCreateConvolutionDescriptor) \
  X(convolution_set, miopenInitConvolutionDescriptor) X(convolution_groups, miopenSetConvolutionGroupCount) \
  X(convolution_destroy, miopenDestroyConvolutionDescriptor) X(activation_create, miopenCreateActivationDescriptor) \
  X(activation_set, miopenSetActivationDescriptor) X(activation_destroy, miopenDestroyActivationDescriptor) \
  X(solution_count, miopenConvolutionForwardGetSolutionCount) X(solutions, miopenConvolutionForwardGetSolution) \
  X(solution_compile, miopenConvolutionForwardCompileSolution) X(convolve, miopenConvolutionForwardImmediate) \
  X(add_bias, miopenConvolutionForwardBias) X(activate, miopenActivationForward) X(plan_create, miopenCreateFusionPlan) \
  X(plan_destroy, miopenDestroyFusionPlan) X(plan_convolution, miopenCreateOpConvForward) \
  X(plan_bias, miopenCreateOpBiasForward) X(plan_activation, miopenCreateOpActivationForward) \
  X(plan_compile, miopenCompileFusionPlan) X(arguments_create, miopenCreateOperatorArgs) \
  X(arguments_destroy, miopenDestroyOperatorArgs) X(arguments_convolution, miopenSetOpArgsConvForward) \
  X(arguments_bias, miopenSetOpArgsBiasForward) X(arguments_activation, miopenSetOpArgsActivForward) \
  X(plan_execute, miopenExecuteFusionPlan)
// clang-format on

}  // namespace fuselab::miopen::abi
