// SPDX-License-Identifier: Apache-2.0
#include "core/graph/infer_rules.h"

namespace fuselab::infer {
namespace {

// Extents beyond this are no window, stride or padding of any real model; the bound keeps the arithmetic exact.
constexpr std::int64_t kMaxWindow = std::int64_t{1} << 31;

struct Axis {
  std::int64_t kernel;
  std::int64_t stride;
  std::int64_t dilation;
  std::int64_t pad_begin;
  std::int64_t pad_end;
};

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

Result<Shape> slide(const Call& call, const std::vector<Axis>& axes) {
  const bool ceil_mode = call.attributes.integer("ceil_mode", 0) != 0;
  Shape shape(call.shape(0).begin(), call.shape(0).begin() + 2);
  for (std::size_t i = 0; i < axes.size(); ++i) {
    FL_TRY(const Dim extent, slid(call, call.shape(0)[i + 2], axes[i], ceil_mode));
    shape.push_back(extent);
  }
  return shape;
}

Status check_channels(const Call& call, std::int64_t group) {
  const Dim& channels = call.shape(0)[1];
  const Dim& weights = call.shape(1)[1];
  const Dim& filters = call.shape(1)[0];
  if (group < 1 || group > kMaxWindow) return failure(call, "group must be 1 or more");
  if (group == 1 && same(channels, weights)) return Status();
  if (channels.is_symbol() || weights.is_symbol() || filters.is_symbol()) return failure(call, "grouped channels must be numbers");
  if (weights.extent() > kMaxWindow || weights.extent() * group != channels.extent() || filters.extent() % group != 0) {
    return failure(call, "channels do not fit: the weights take " + weights.text() + " per group, group=" + std::to_string(group));
  }
  return Status();
}

Result<Types> conv(const Call& call) {
  FL_TRY_VOID(require_floating(call));
  FL_TRY_VOID(require_same_dtype(call));
  if (call.rank() < 3 || call.rank(1) != call.rank()) return failure(call, "needs X [N,C,…] and W [M,C/group,…] of one rank ≥ 3");
  FL_TRY_VOID(check_channels(call, call.attributes.integer("group", 1)));
  std::vector<std::int64_t> kernel;
  for (std::size_t i = 2; i < call.shape(1).size(); ++i) {
    if (call.shape(1)[i].is_symbol()) return failure(call, "the window must be numbers");
    kernel.push_back(call.shape(1)[i].extent());
  }
  if (call.attributes.has("kernel_shape") && call.attributes.integers("kernel_shape") != kernel) {
    return failure(call, "kernel_shape differs from the weights' shape");
  }
  if (call.inputs.size() == 3 && call.shape(2) != Shape{call.shape(1)[0]}) return failure(call, "the bias must be one per filter");
  FL_TRY(const std::vector<Axis> axes, axes_of(call, kernel, kernel.size()));
  FL_TRY(Shape shape, slide(call, axes));
  shape[1] = call.shape(1)[0];
  return Types{{call.dtype(), std::move(shape)}};
}

Result<Types> pool(const Call& call) {
  if (call.rank() < 3) return failure(call, "needs X [N,C,…] of rank ≥ 3");
  if (call.op == Op::kAveragePool) FL_TRY_VOID(require_floating(call));
  FL_TRY(const std::vector<Axis> axes, axes_of(call, call.attributes.integers("kernel_shape"), call.shape(0).size() - 2));
  for (const Axis& axis : axes) {
    if (axis.pad_begin >= axis.kernel * axis.dilation || axis.pad_end >= axis.kernel * axis.dilation) {
      return failure(call, "a padding as wide as the window would pool nothing but padding");
    }
  }
  FL_TRY(Shape shape, slide(call, axes));
  return Types{{call.dtype(), std::move(shape)}};
}

Result<Types> global_pool(const Call& call) {
  FL_TRY_VOID(require_floating(call));
  if (call.rank() < 3) return failure(call, "needs X [N,C,…] of rank ≥ 3");
  Shape shape = call.shape(0);
  std::fill(shape.begin() + 2, shape.end(), Dim(1));
  return Types{{call.dtype(), std::move(shape)}};
}

Result<Types> batch_normalization(const Call& call) {
  FL_TRY_VOID(require_floating(call));
  if (call.rank() < 2) return failure(call, "needs X [N,C,…] of rank ≥ 2");
  if (call.attributes.integer("training_mode", 0) != 0) return failure(call, "training_mode is not supported");
  for (std::size_t i = 1; i < 5; ++i) {
    if (call.shape(i) != Shape{call.shape(0)[1]}) return failure(call, "scale, B, mean and variance must be one per channel");
  }
  return Types{call.inputs[0]};
}

}  // namespace

Result<Types> window(const Call& call) {
  switch (call.op) {
    case Op::kConv: return conv(call);
    case Op::kBatchNormalization: return batch_normalization(call);
    case Op::kGlobalAveragePool: return global_pool(call);
    default: return pool(call);
  }
}

}  // namespace fuselab::infer
