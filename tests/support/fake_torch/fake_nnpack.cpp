// SPDX-License-Identifier: Apache-2.0
// The part of libtorch_cpu.so that is NNPACK: convolutions of one image, computed plainly. Algorithm 2 is taken to be unsupported;
// Winograd's needs scratch memory of one number for each result, which it writes.
#include <algorithm>
#include <cstddef>

#define EXPORTED extern "C" __attribute__((visibility("default")))

namespace {

struct Size {
  std::size_t width, height;
};
struct Padding {
  std::size_t top, right, bottom, left;
};
int pools = 0;

}  // namespace

EXPORTED int nnp_initialize() {
#ifdef FAKE_PARTIAL
  return 51;
#else
  return 0;
#endif
}
EXPORTED void* pthreadpool_create(std::size_t) {
  ++pools;
  return &pools;
}
EXPORTED int nnp_convolution_inference(int algorithm, int strategy, std::size_t in, std::size_t out, Size input, Padding padding,
                                       Size kernel, Size stride, const float* source, const float* weights, const float* bias,
                                       float* result, void* scratch, std::size_t* scratch_bytes, int activation, const void*, void*,
                                       void*) {
  if (algorithm == 2) return 26;
  if (strategy != 1) return 27;
  const std::size_t rows = (input.height + padding.top + padding.bottom - kernel.height) / stride.height + 1,
                    columns = (input.width + padding.left + padding.right - kernel.width) / stride.width + 1;
  if (scratch == nullptr && scratch_bytes != nullptr) {
    *scratch_bytes = algorithm == 3 ? out * rows * columns * sizeof(float) : 0;
    return 0;
  }
  for (std::size_t o = 0; o < out; ++o) {
    for (std::size_t y = 0; y < rows; ++y) {
      for (std::size_t x = 0; x < columns; ++x) {
        float sum = bias[o];
        for (std::size_t c = 0; c < in; ++c) {
          for (std::size_t v = 0; v < kernel.height; ++v) {
            for (std::size_t u = 0; u < kernel.width; ++u) {
              const std::size_t row = y * stride.height + v - padding.top, column = x * stride.width + u - padding.left;
              if (row >= input.height || column >= input.width) continue;
              sum += source[(c * input.height + row) * input.width + column] *
                     weights[((o * in + c) * kernel.height + v) * kernel.width + u];
            }
          }
        }
        const std::size_t at = (o * rows + y) * columns + x;
        if (scratch != nullptr) static_cast<float*>(scratch)[at] = sum;
        result[at] = activation == 1 ? std::max(sum, 0.0F) : sum;
      }
    }
  }
  return 0;
}
