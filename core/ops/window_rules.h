// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "core/ops/infer_rules.h"

// How windows slide over spatial axes; private to core/ops.
namespace fuselab::ops {

// Extents beyond this are no window, stride or padding of any real model; the bound keeps the arithmetic exact.
inline constexpr std::int64_t kMaxWindow = std::int64_t{1} << 31;

struct Axis {
  std::int64_t kernel;
  std::int64_t stride;
  std::int64_t dilation;
  std::int64_t pad_begin;
  std::int64_t pad_end;
};

// Returns the window along each spatial axis, from the attributes.
Result<std::vector<Axis>> axes_of(const Call& call, const std::vector<std::int64_t>& kernel, std::size_t spatial);
// Returns the input's shape with the spatial extents that windows leave.
Result<Shape> slide(const Call& call, const std::vector<Axis>& axes);

}  // namespace fuselab::ops
