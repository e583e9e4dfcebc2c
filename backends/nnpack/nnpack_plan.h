// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "backends/nnpack/nnpack_library.h"

namespace fuselab::nnpack {

// A convolution of images with an optional bias and an optional ReLU, as NNPACK takes one: for each image and each group.
struct Convolution {
  std::size_t images = 1, groups = 1;
  std::size_t channels_in = 0, channels_out = 0;  // of a group
  abi::Size input{}, kernel{}, stride{}, output{};
  abi::Padding padding{};
  bool bias = false, relu = false;
};

// Fails with kUnsupported and the reason where a graph is no such convolution.
Result<Convolution> convolution_of(const Graph& graph);
// Whether the algorithms by transforms take it, and Winograd's among them.
bool may_transform(const Convolution& convolution);
bool is_for_winograd(const Convolution& convolution);

// Must be destroyed before its library. Used by one thread.
class NnpackPlan final : public library::HostPlan {
 public:
  // Asks for the scratch memory of the algorithm and makes it.
  static Result<std::unique_ptr<library::HostPlan>> build(std::shared_ptr<NnpackLibrary> library, const Convolution& convolution,
                                                          const LaunchConfig& config);
  Result<std::unique_ptr<library::BoundPlan>> bind(const library::Places& places) override;

  // For bound plans.
  Status run(const float* source, const float* weights, const float* bias, float* result);

 private:
  NnpackPlan(std::shared_ptr<NnpackLibrary> library, const Convolution& convolution, int algorithm)
      : library_(std::move(library)), of_(convolution), algorithm_(algorithm), no_bias_(convolution.channels_out, 0.0F) {}
  Status call(const float* source, const float* weights, const float* bias, float* result, void* scratch,
              std::size_t* scratch_bytes);

  std::shared_ptr<NnpackLibrary> library_;
  Convolution of_;
  int algorithm_;
  std::vector<float> no_bias_;
  std::vector<std::byte> scratch_;
};

}  // namespace fuselab::nnpack
