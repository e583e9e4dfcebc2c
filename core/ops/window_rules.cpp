// SPDX-License-Identifier: Apache-2.0
#include "core/ops/window_rules.h"

namespace fuselab::ops {
namespace {

Status check_list(const Call& call, const char* name, const std::vector<std::int64_t>& values, std::size_t count,
                  std::int64_t least) {
  if (values.size() != count) {
    return failure(call,
                   "'" + std::string(name) + "' needs " + std::to_string(count) + " numbers, got " + std::to_string(values.size()));
  }
  for (const std::int64_t each : values) {
    if (each < least || each > kMaxWindow)
      return failure(call, "'" + std::string(name) + "' has " + std::to_string(each) + " in it");
  }
  return Status();
}

Result<Dim> slid(const Call& call, const Dim& extent, const Axis& axis, bool ceil_mode) {
  const std::int64_t reach = (axis.kernel - 1) * axis.dilation + 1;
  const bool untouched = reach == 1 && axis.stride == 1 && axis.pad_begin == 0 && axis.pad_end == 0;
  if (untouched) return extent;
  if (extent.is_symbol()) {
    const bool rounds_up = ceil_mode && axis.stride != 1;  // and a window that would start in the padding is ignored
    const auto moved = rounds_up ? std::nullopt : sum(extent, Dim(axis.pad_begin + axis.pad_end - reach + axis.stride));
    const auto count = moved ? quotient(*moved, axis.stride) : std::nullopt;
    if (count) return *count;
    return failure(call, "the result along '" + extent.name() + "' is not known until that is bound");
  }
  const std::int64_t padded = extent.extent() + axis.pad_begin + axis.pad_end;
  if (padded < reach) return failure(call, "the window of " + std::to_string(reach) + " is larger than the padded input");
  std::int64_t count = (padded - reach + (ceil_mode ? axis.stride - 1 : 0)) / axis.stride + 1;
  // A window that would start in the padding at the end is ignored.
  if (ceil_mode && (count - 1) * axis.stride >= extent.extent() + axis.pad_begin) --count;
  return Dim(count);
}

}  // namespace

Result<std::vector<Axis>> axes_of(const Call& call, const std::vector<std::int64_t>& kernel, std::size_t spatial) {
  const std::string auto_pad = call.attributes.text("auto_pad", "NOTSET");
  if (auto_pad != "NOTSET" && auto_pad != "VALID") return failure(call, "auto_pad " + auto_pad + " must be written as pads");
  const auto strides = call.attributes.integers("strides", std::vector<std::int64_t>(spatial, 1));
  const auto dilations = call.attributes.integers("dilations", std::vector<std::int64_t>(spatial, 1));
  const auto pads = call.attributes.integers("pads", std::vector<std::int64_t>(2 * spatial, 0));
  FL_TRY_VOID(check_list(call, "kernel_shape", kernel, spatial, 1));
  FL_TRY_VOID(check_list(call, "strides", strides, spatial, 1));
  FL_TRY_VOID(check_list(call, "dilations", dilations, spatial, 1));
  FL_TRY_VOID(check_list(call, "pads", pads, 2 * spatial, 0));
  std::vector<Axis> axes;
  for (std::size_t i = 0; i < spatial; ++i) axes.push_back({kernel[i], strides[i], dilations[i], pads[i], pads[spatial + i]});
  return axes;
}

Result<Shape> slide(const Call& call, const std::vector<Axis>& axes) {
  const bool ceil_mode = call.attributes.integer("ceil_mode", 0) != 0;
  Shape shape(call.shape(0).begin(), call.shape(0).begin() + 2);
  for (std::size_t i = 0; i < axes.size(); ++i) {
    FL_TRY(const Dim extent, slid(call, call.shape(0)[i + 2], axes[i], ceil_mode));
    shape.push_back(extent);
  }
  return shape;
}

}  // namespace fuselab::ops
