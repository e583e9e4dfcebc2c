// SPDX-License-Identifier: Apache-2.0
#include "core/reference/operators/reference_tensor.h"

#include "core/tensor/small_float.h"

namespace fuselab::reference {

Rounding rounding_of(DType dtype) {
  if (!is_floating(dtype)) return {0, 0, 0, detail::largest_of(dtype)};
  const double largest = detail::largest_of(dtype);
  if (dtype == DType::kF64) return {0x1p-53 / kUnit, 0, detail::smallest_normal_of(dtype) / kUnit, largest};
  if (dtype == DType::kF32) return {1, 0, detail::smallest_normal_of(dtype) / kUnit, largest};
  const detail::SmallFloat& format = detail::small_float_of(dtype);
  const double store = std::ldexp(1.0, -format.mantissa_bits - 1) / kUnit;
  // bf16 shares f32's range and its flushing; the narrower exponents keep their subnormals.
  const double tiny = dtype == DType::kBF16 ? detail::smallest_normal_of(dtype) : detail::smallest_subnormal_of(dtype) / 2;
  return {1, store, tiny / kUnit, largest};
}

std::size_t axis_of(std::int64_t axis, std::size_t rank) {
  return static_cast<std::size_t>(axis < 0 ? axis + static_cast<std::int64_t>(rank) : axis);
}

Rows::Rows(std::span<const std::int64_t> extents, const std::vector<bool>& along) {
  const auto strides = strides_of(extents);
  std::vector<Axis> reduced;
  for (std::size_t i = 0; i < extents.size(); ++i) {
    (along[i] ? reduced : kept_).push_back({extents[i], strides[i]});
    (along[i] ? length_ : count_) *= extents[i];
  }
  bool contiguous = true;
  std::int64_t expected = 1;
  for (std::size_t i = reduced.size(); i-- > 0;) {
    contiguous = contiguous && (reduced[i].extent == 1 || reduced[i].stride == expected);
    expected *= reduced[i].extent;
  }
  if (contiguous) return;
  offsets_.resize(static_cast<std::size_t>(length_));
  for (std::int64_t i = 0; i < length_; ++i) {
    std::int64_t rest = i;
    std::int64_t offset = 0;
    for (std::size_t axis = reduced.size(); axis-- > 0;) {
      offset += rest % reduced[axis].extent * reduced[axis].stride;
      rest /= reduced[axis].extent;
    }
    offsets_[static_cast<std::size_t>(i)] = offset;
  }
}

std::int64_t Rows::base(std::int64_t row) const {
  std::int64_t base = 0;
  for (std::size_t axis = kept_.size(); axis-- > 0;) {
    base += row % kept_[axis].extent * kept_[axis].stride;
    row /= kept_[axis].extent;
  }
  return base;
}

std::int64_t Rows::row_of(std::int64_t flat) const {
  std::int64_t row = 0;
  for (const Axis& axis : kept_) row = row * axis.extent + flat / axis.stride % axis.extent;
  return row;
}

}  // namespace fuselab::reference
