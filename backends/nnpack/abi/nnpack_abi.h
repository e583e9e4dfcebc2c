// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

// What is called of NNPACK, and of the pool of threads that it computes with.
namespace fuselab::nnpack::abi {

using Code = int;  // nnp_status; 0: success
inline constexpr Code kUnsupportedHardware = 51;

inline constexpr int kImplicitGemm = 4, kFft8 = 1, kFft16 = 2, kWinograd8 = 3, kAutomatic = 0;  // nnp_convolution_algorithm
inline constexpr int kTransformsWeights = 1;  // nnp_convolution_transform_strategy: in every call
inline constexpr int kNoActivation = 0, kRelu = 1;

struct Size {
  std::size_t width, height;
};
struct Padding {
  std::size_t top, right, bottom, left;
};
struct PoolObject;
using Pool = PoolObject*;

struct Functions {
  Code (*initialize)();
  // Convolves one image. Without scratch, but with a place for its size, it only tells how much it would need.
  Code (*convolve)(int algorithm, int strategy, std::size_t channels_in, std::size_t channels_out, Size input, Padding padding,
                   Size kernel, Size stride, const float* source, const float* weights, const float* bias, float* result,
                   void* scratch, std::size_t* scratch_bytes, int activation, const void* activation_parameters, Pool pool,
                   void* profile);
  Pool (*create_pool)(std::size_t threads);
};

}  // namespace fuselab::nnpack::abi
