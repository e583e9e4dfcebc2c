// SPDX-License-Identifier: Apache-2.0
// A library that looks like MIOpen 3.2 and computes convolutions plainly. It names three solutions: 88 by Winograd's transforms, 11
// directly, 33 with a workspace. It makes fusion plans of f32 and f16. $FUSELAB_FAKE_MIOPEN says how it behaves, separated by
// commas: "version=1", "create=1" (any code, crash, hang), "none" (it names no solution), "none=5" (and answers with the code),
// "unfused" (it makes no plan), "run=5", "wrong=33" (that solution leaves out the last channel), "other" (the solutions have other
// numbers).
#include <array>
#include <cstring>
#include <vector>

#include "backends/miopen/abi/miopen_abi.h"
#include "tests/support/fake_amd_libraries/fake_product.h"
#include "tests/support/fake_amd_libraries/on_fake_hip.h"

using namespace fuselab::miopen::abi;
using namespace fuselab::fake_amd;
using fuselab::fake_cuda::Behaviour;

namespace {

constexpr std::size_t kWorkspace = std::size_t{1} << 20;

struct Tensor {
  int type = kFloat;
  std::vector<int> extents;
  std::int64_t elements() const {
    std::int64_t count = 1;
    for (const int each : extents) count *= each;
    return count;
  }
};
struct Windows {
  int pads[2] = {}, strides[2] = {1, 1}, dilations[2] = {1, 1}, groups = 1;
};
struct Activation {
  int mode = 0;
};
struct Handle {
  void* stream = nullptr;
};
struct Plan {
  Tensor x, w;
  Windows windows;
  bool has_bias = false, compiled = false;
  int mode = 0;
};
struct Arguments {
  const void *w = nullptr, *bias = nullptr;
};

Behaviour asked() {
  return Behaviour::of("FUSELAB_FAKE_MIOPEN");
}

std::array<Solution, 3> known() {
  const bool other = asked().has("other");
  return {{{1, 0, other ? 1U : 88U, kWinograd}, {2, 0, other ? 2U : 11U, 1}, {3, kWorkspace, other ? 3U : 33U, 0}}};
}

Number number_of(const Tensor& tensor) {
  return tensor.type == kHalf ? Number::kF16 : tensor.type == kBFloat16 ? Number::kBF16 : Number::kF32;
}

template <typename T>
T& held(void* handle) {
  return *static_cast<T*>(handle);
}
template <typename T>
Code destroy(void* handle) {
  return delete static_cast<T*>(handle), kSuccess;
}

double ended(double value, int mode) {
  if (mode == kRelu) return std::fmax(value, 0.0);  // which drops NaN
  if (mode == kLogistic) return 1 / (1 + std::exp(-value));
  return mode == kTanh ? std::tanh(value) : value;
}

int extent_of(const Windows& windows, const Tensor& x, const Tensor& w, int axis) {
  const auto at = static_cast<std::size_t>(axis);
  const int window = (w.extents[at + 2] - 1) * windows.dilations[axis] + 1;
  return (x.extents[at + 2] + 2 * windows.pads[axis] - window) / windows.strides[axis] + 1;
}

// The extents that follow from the others are those of y, as the real one demands.
bool fits(const Tensor& x, const Tensor& w, const Windows& windows, const Tensor& y) {
  return x.extents.size() == 4 && w.extents.size() == 4 && x.type == w.type && x.type == y.type &&
         x.extents[1] == w.extents[1] * windows.groups && w.extents[0] % windows.groups == 0 &&
         y.extents == std::vector<int>{x.extents[0], w.extents[0], extent_of(windows, x, w, 0), extent_of(windows, x, w, 1)};
}

struct Convolution {
  Tensor x, w, y;
  Windows windows;
  const void *from = nullptr, *weights = nullptr, *bias = nullptr;
  void* to = nullptr;
  int mode = 0;
  bool wrong = false;

  double sum_at(int image, int channel, int row, int column) const {
    const int depth = w.extents[1], first = channel / (w.extents[0] / windows.groups) * depth;
    double sum = 0;
    for (int c = 0; c < (wrong ? depth - 1 : depth); ++c) {
      for (int i = 0; i < w.extents[2]; ++i) {
        for (int j = 0; j < w.extents[3]; ++j) {
          const int at_row = row * windows.strides[0] - windows.pads[0] + i * windows.dilations[0];
          const int at_column = column * windows.strides[1] - windows.pads[1] + j * windows.dilations[1];
          if (at_row < 0 || at_row >= x.extents[2] || at_column < 0 || at_column >= x.extents[3]) continue;
          const std::int64_t in =
              ((std::int64_t{image} * x.extents[1] + first + c) * x.extents[2] + at_row) * x.extents[3] + at_column;
          const std::int64_t by = ((std::int64_t{channel} * depth + c) * w.extents[2] + i) * w.extents[3] + j;
          sum += read(from, in, number_of(x)) * read(weights, by, number_of(x));
        }
      }
    }
    return sum;
  }

  void compute() const {
    std::int64_t at = 0;
    for (int image = 0; image < y.extents[0]; ++image) {
      for (int channel = 0; channel < y.extents[1]; ++channel) {
        const double added = bias == nullptr ? 0 : read(bias, channel, number_of(x));
        for (int row = 0; row < y.extents[2]; ++row) {
          for (int column = 0; column < y.extents[3]; ++column)
            write(to, at++, number_of(x), ended(sum_at(image, channel, row, column) + added, mode));
        }
      }
    }
  }
};

Code run(void* handle, std::function<void()> kernel) {
  if (held<Handle>(handle).stream == nullptr) return kBadParm;  // ours is never the default one
  if (const Code code = answer_of(asked(), "run"); code != kSuccess) return code;
  return queue([kernel = std::move(kernel)] { return kernel(), 0; }) == 0 ? kSuccess : kInternalError;
}

}  // namespace

EXPORTED Code miopenCreateWithStream(void** handle, void* stream) {
  static Handle one;  // nothing destroys it: a worker ends with its handle
  one.stream = stream;
  *handle = &one;
  return answer_of(asked(), "create");
}
EXPORTED Code miopenSetStream(void* handle, void* stream) {
  return held<Handle>(handle).stream = stream, kSuccess;
}
EXPORTED Code miopenGetVersion(std::size_t* major, std::size_t* minor, std::size_t* patch) {
  *major = static_cast<std::size_t>(asked().number("version").value_or(3));
  return *minor = 2, *patch = 0, kSuccess;
}
EXPORTED Code miopenCreateTensorDescriptor(void** tensor) {
  return *tensor = new Tensor, kSuccess;
}
EXPORTED Code miopenSetTensorDescriptor(void* tensor, int type, int axes, const int* extents, const int* strides) {
  auto& to = held<Tensor>(tensor);
  to.type = type;
  to.extents.assign(extents, extents + axes);
  int stride = 1;
  for (int axis = axes - 1; axis >= 0; stride *= extents[axis--]) {
    if (strides[axis] != stride) return kBadParm;
  }
  return kSuccess;
}
EXPORTED Code miopenDestroyTensorDescriptor(void* tensor) {
  return destroy<Tensor>(tensor);
}
EXPORTED Code miopenCreateConvolutionDescriptor(void** convolution) {
  return *convolution = new Windows, kSuccess;
}
EXPORTED Code miopenInitConvolutionDescriptor(void* convolution, int mode, int pad_h, int pad_w, int stride_h, int stride_w,
                                              int dilation_h, int dilation_w) {
  held<Windows>(convolution) = {{pad_h, pad_w}, {stride_h, stride_w}, {dilation_h, dilation_w}, 1};
  return mode == kConvolution ? kSuccess : kBadParm;
}
EXPORTED Code miopenSetConvolutionGroupCount(void* convolution, int groups) {
  return held<Windows>(convolution).groups = groups, kSuccess;
}
EXPORTED Code miopenDestroyConvolutionDescriptor(void* convolution) {
  return destroy<Windows>(convolution);
}
EXPORTED Code miopenCreateActivationDescriptor(void** activation) {
  return *activation = new Activation, kSuccess;
}
EXPORTED Code miopenSetActivationDescriptor(void* activation, int mode, double alpha, double beta, double) {
  return held<Activation>(activation).mode = mode, alpha == 1 && beta == 1 ? kSuccess : kBadParm;
}
EXPORTED Code miopenDestroyActivationDescriptor(void* activation) {
  return destroy<Activation>(activation);
}
EXPORTED Code miopenConvolutionForwardGetSolutionCount(void*, void* w, void* x, void* convolution, void* y, std::size_t* count) {
  *count = 0;
  if (!fits(held<Tensor>(x), held<Tensor>(w), held<Windows>(convolution), held<Tensor>(y))) return kBadParm;
  if (asked().has("none")) return answer_of(asked(), "none");
  return *count = known().size(), kSuccess;
}
EXPORTED Code miopenConvolutionForwardGetSolution(void*, void*, void*, void*, void*, std::size_t most, std::size_t* count,
                                                  Solution* solutions) {
  const auto all = known();
  *count = std::min(most, all.size());
  return std::copy_n(all.begin(), *count, solutions), kSuccess;
}
EXPORTED Code miopenConvolutionForwardCompileSolution(void*, void*, void*, void*, void*, std::uint64_t id) {
  for (const Solution& each : known()) {
    if (each.id == id) return kSuccess;
  }
  return kBadParm;
}
EXPORTED Code miopenConvolutionForwardImmediate(void* handle, void* w_tensor, const void* w, void* x_tensor, const void* x,
                                                void* convolution, void* y_tensor, void* y, void* workspace, std::size_t bytes,
                                                std::uint64_t id) {
  Convolution made{held<Tensor>(x_tensor), held<Tensor>(w_tensor), held<Tensor>(y_tensor), held<Windows>(convolution), x, w};
  made.to = y;
  made.wrong = asked().number("wrong") == static_cast<long>(id);
  if (!fits(made.x, made.w, made.windows, made.y)) return kBadParm;
  for (const Solution& each : known()) {
    if (each.id == id && (bytes < each.workspace || (each.workspace > 0 && workspace == nullptr))) return kBadParm;
  }
  return run(handle, [made, workspace, bytes] {
    if (bytes > 0) std::memset(workspace, 0x5a, bytes);
    made.compute();
  });
}
EXPORTED Code miopenConvolutionForwardBias(void* handle, const void* alpha, void* bias_tensor, const void* bias, const void* beta,
                                           void* y_tensor, void* y) {
  const Tensor tensor = held<Tensor>(y_tensor);
  const bool fits = held<Tensor>(bias_tensor).extents == std::vector<int>{1, tensor.extents[1], 1, 1};
  if (!fits || *static_cast<const float*>(alpha) != 1 || *static_cast<const float*>(beta) != 0) return kBadParm;
  return run(handle, [tensor, bias, y] {
    const std::int64_t places = std::int64_t{tensor.extents[2]} * tensor.extents[3];
    for (std::int64_t at = 0; at < tensor.elements(); ++at) {
      const Number type = number_of(tensor);
      write(y, at, type, read(y, at, type) + read(bias, at / places % tensor.extents[1], type));
    }
  });
}
EXPORTED Code miopenActivationForward(void* handle, void* activation, const void*, void* x_tensor, const void* x, const void*,
                                      void*, void* y) {
  const Tensor tensor = held<Tensor>(x_tensor);
  return run(handle, [tensor, x, y, mode = held<Activation>(activation).mode] {
    for (std::int64_t at = 0; at < tensor.elements(); ++at)
      write(y, at, number_of(tensor), ended(read(x, at, number_of(tensor)), mode));
  });
}
EXPORTED Code miopenCreateFusionPlan(void** plan, int direction, void* x_tensor) {
  auto* const made = new Plan;
  made->x = held<Tensor>(x_tensor);
  return *plan = made, direction == kVertical ? kSuccess : kBadParm;
}
EXPORTED Code miopenDestroyFusionPlan(void* plan) {
  return destroy<Plan>(plan);
}
EXPORTED Code miopenCreateOpConvForward(void* plan, void** op, void* convolution, void* w_tensor) {
  auto& to = held<Plan>(plan);
  to.windows = held<Windows>(convolution);
  to.w = held<Tensor>(w_tensor);
  return *op = &to.windows, kSuccess;
}
EXPORTED Code miopenCreateOpBiasForward(void* plan, void** op, void*) {
  auto& to = held<Plan>(plan);
  return to.has_bias = true, *op = &to.has_bias, kSuccess;
}
EXPORTED Code miopenCreateOpActivationForward(void* plan, void** op, int mode) {
  auto& to = held<Plan>(plan);
  return to.mode = mode, *op = &to.mode, kSuccess;
}
EXPORTED Code miopenCompileFusionPlan(void*, void* plan) {
  auto& to = held<Plan>(plan);
  if (asked().has("unfused") || to.x.type == kBFloat16) return kUnsupportedOp;
  return to.compiled = true, kSuccess;
}
EXPORTED Code miopenCreateOperatorArgs(void** arguments) {
  return *arguments = new Arguments, kSuccess;
}
EXPORTED Code miopenDestroyOperatorArgs(void* arguments) {
  return destroy<Arguments>(arguments);
}
EXPORTED Code miopenSetOpArgsConvForward(void* arguments, void* op, const void*, const void*, const void* w) {
  return held<Arguments>(arguments).w = w, op != nullptr ? kSuccess : kBadParm;
}
EXPORTED Code miopenSetOpArgsBiasForward(void* arguments, void* op, const void*, const void*, const void* bias) {
  return held<Arguments>(arguments).bias = bias, op != nullptr ? kSuccess : kBadParm;
}
EXPORTED Code miopenSetOpArgsActivForward(void*, void* op, const void*, const void*, double a, double b, double) {
  return op != nullptr && a == 1 && b == 1 ? kSuccess : kBadParm;
}
#ifndef FAKE_PARTIAL
EXPORTED Code miopenExecuteFusionPlan(void* handle, void* plan, void*, const void* x, void* y_tensor, void* y, void* arguments) {
  const auto& from = held<Plan>(plan);
  const auto& given = held<Arguments>(arguments);
  if (!from.compiled || (from.has_bias && given.bias == nullptr) || !fits(from.x, from.w, from.windows, held<Tensor>(y_tensor)))
    return kBadParm;
  Convolution made{from.x, from.w, held<Tensor>(y_tensor), from.windows, x, given.w};
  made.bias = given.bias;
  made.to = y;
  made.mode = from.mode;
  return run(handle, [made] { made.compute(); });
}
#endif
