// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "backends/library/stream/solution_library.h"
#include "backends/miopen/abi/miopen_abi.h"
#include "core/graph/graph.h"

namespace fuselab::miopen {

// Returns success, or an error with what was called: "miopenConvolutionForwardImmediate: miopenStatusInternalError (5)".
Status check(abi::Code code, const char* call);

// A convolution as a graph has it. Arguments are those of the kernel; -1: there is none.
struct ConvolutionCall {
  DType dtype = DType::kF32;
  std::vector<int> x_extents, w_extents, y_extents;
  int groups = 1;
  int pads[2] = {}, strides[2] = {}, dilations[2] = {};
  int x = -1, w = -1, bias = -1, y = -1;
  int activation = 0;  // miopenActivationMode_t; 0: none
  std::string covers;  // "Conv+Relu"
};

// Fails with kUnsupported and the reason where MIOpen does not compute a concrete graph.
Result<ConvolutionCall> convolution_call_of(const Graph& graph);

// A convolution as MIOpen's descriptors say it, with what follows in one fusion plan (solution 0) or by calls of their own.
class Convolution final : public library::SolutionCall {
 public:
  // `calls` must outlive it.
  static Result<std::unique_ptr<library::SolutionCall>> describe(const abi::Functions& calls, ConvolutionCall call);

  Result<std::vector<library::Solution>> solutions(void* handle) override;
  Status prepare(void* handle, const library::Solution& solution, void* stream) override;
  Status enqueue(void* handle, const library::Solution& solution, std::span<void* const> addresses, void* workspace,
                 void* stream) override;
  int calls(const library::Solution& solution) const override;

 private:
  using Descriptor = std::unique_ptr<void, abi::Code (*)(void*)>;

  Convolution(const abi::Functions& calls, ConvolutionCall call) : calls_(calls), call_(std::move(call)) {}
  Status make();
  Status make_tensor(Descriptor& tensor, const std::vector<int>& extents) const;
  // Fails with kUnsupported where MIOpen makes no such plan.
  Status compile_plan(void* handle);
  Status enqueue_plan(void* handle, std::span<void* const> addresses) const;

  const abi::Functions& calls_;
  ConvolutionCall call_;
  Descriptor x_{nullptr, nullptr}, w_{nullptr, nullptr}, bias_{nullptr, nullptr}, y_{nullptr, nullptr};
  Descriptor convolution_{nullptr, nullptr}, activation_{nullptr, nullptr};
  Descriptor plan_{nullptr, nullptr}, arguments_{nullptr, nullptr};
  void *convolution_op_ = nullptr, *bias_op_ = nullptr, *activation_op_ = nullptr;  // the plan's
};

}  // namespace fuselab::miopen
