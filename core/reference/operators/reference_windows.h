// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include "core/reference/operators/operator_row.h"

namespace fuselab::reference {

// One spatial axis of a window: maps an output element to the input elements that it reads.
struct WindowAxis {
  std::int64_t input = 1, output = 1, kernel = 1, stride = 1, dilation = 1, pad_begin = 0, pad_end = 0;

  std::int64_t source(std::int64_t out, std::int64_t tap) const { return out * stride - pad_begin + tap * dilation; }
  bool inside(std::int64_t at) const { return at >= 0 && at < input; }
};

// The windows of Conv and the pools; fewer than three spatial axes are padded with leading ones.
struct Windows {
  std::array<WindowAxis, 3> axes;

  std::int64_t input_plane() const { return axes[0].input * axes[1].input * axes[2].input; }
  std::int64_t output_plane() const { return axes[0].output * axes[1].output * axes[2].output; }
  std::int64_t taps() const { return axes[0].kernel * axes[1].kernel * axes[2].kernel; }
  // Calls visit(tap, offset in the input's plane) for each tap of the window of `out` that lies inside.
  template <typename Visit>
  void for_each_tap(std::int64_t out, Visit&& visit) const {
    const std::int64_t d = out / (axes[1].output * axes[2].output);
    const std::int64_t h = out / axes[2].output % axes[1].output;
    const std::int64_t w = out % axes[2].output;
    std::int64_t tap = 0;
    for (std::int64_t i = 0; i < axes[0].kernel; ++i) {
      for (std::int64_t j = 0; j < axes[1].kernel; ++j) {
        for (std::int64_t k = 0; k < axes[2].kernel; ++k, ++tap) {
          const std::int64_t z = axes[0].source(d, i), y = axes[1].source(h, j), x = axes[2].source(w, k);
          if (axes[0].inside(z) && axes[1].inside(y) && axes[2].inside(x)) visit(tap, (z * axes[1].input + y) * axes[2].input + x);
        }
      }
    }
  }
};
// `kernel` holds the window's extents; there are at most three spatial axes.
Windows windows_of(const Node& node, std::span<const std::int64_t> input, std::span<const std::int64_t> output,
                   std::span<const std::int64_t> kernel);
std::vector<std::int64_t> kernel_of(const Node& node, std::span<const std::int64_t> weights);

inline constexpr std::size_t kMaxWindowRank = 5;  // N, C and three spatial axes

}  // namespace fuselab::reference
