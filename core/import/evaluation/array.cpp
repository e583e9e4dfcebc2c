// SPDX-License-Identifier: Apache-2.0
#include "core/import/evaluation/array.h"

#include <algorithm>
#include <cmath>

namespace fuselab::onnx {

Result<std::int64_t> count_of(const Extents& shape) {
  constexpr std::int64_t kMost = std::int64_t{1} << 27;  // 1 GiB
  std::int64_t count = 1;
  for (const std::int64_t extent : shape) {
    if (extent < 0) return invalid_argument("makes the extent " + std::to_string(extent));
    if (__builtin_mul_overflow(count, extent, &count) || count > kMost)
      return Error{ErrorCode::kUnsupported, "makes a tensor of more than 1 GiB in float64"};
  }
  return count;
}

Result<Array> zeros(Extents shape, std::int32_t type) {
  FL_TRY(const std::int64_t count, count_of(shape));
  return Array{std::move(shape), std::vector<double>(static_cast<std::size_t>(count)), type};
}

std::int64_t whole(double number) {
  if (std::isnan(number)) return 0;
  if (number >= 0x1p62) return std::int64_t{1} << 62;
  if (number <= -0x1p62) return -(std::int64_t{1} << 62);
  return static_cast<std::int64_t>(number);
}

Result<std::int64_t> axis_of(std::int64_t axis, std::int64_t rank) {
  const std::int64_t place = axis < 0 ? axis + rank : axis;
  if (place < 0 || place >= rank) return invalid_argument("has no axis " + std::to_string(axis));
  return place;
}

Extents strides_of(const Extents& shape) {
  Extents strides(shape.size(), 1);
  for (std::size_t i = shape.size(); i-- > 1;) strides[i - 1] = strides[i] * shape[i];
  return strides;
}

std::int64_t product(const Extents& shape, std::int64_t first, std::int64_t last) {
  std::int64_t result = 1;
  for (std::int64_t i = first; i < last; ++i) result *= shape[static_cast<std::size_t>(i)];
  return result;
}

Result<Extents> broadcast(const Extents& a, const Extents& b) {
  Extents shape(std::max(a.size(), b.size()), 1);
  for (std::size_t i = 1; i <= shape.size(); ++i) {
    const std::int64_t x = i <= a.size() ? a[a.size() - i] : 1, y = i <= b.size() ? b[b.size() - i] : 1;
    if (x != y && x != 1 && y != 1) return invalid_argument("has operands that do not broadcast");
    shape[shape.size() - i] = x == 1 ? y : x;
  }
  return shape;
}

Extents strides_within(const Extents& own, const Extents& whole) {
  const Extents strides = strides_of(own);
  Extents within(whole.size(), 0);
  for (std::size_t i = 1; i <= own.size(); ++i) {
    if (own[own.size() - i] != 1) within[whole.size() - i] = strides[own.size() - i];
  }
  return within;
}

void for_each_index(const Extents& shape, const std::function<void(const Extents& index)>& visit) {
  Extents index(shape.size(), 0);
  for (const std::int64_t extent : shape) {
    if (extent == 0) return;
  }
  while (true) {
    visit(index);
    std::size_t axis = shape.size();
    while (axis > 0 && ++index[axis - 1] == shape[axis - 1]) index[--axis] = 0;
    if (axis == 0) return;
  }
}

Result<Array> expanded(const Array& array, const Extents& shape) {
  FL_TRY(const Extents together, broadcast(array.shape, shape));
  if (together != shape) return invalid_argument("has an operand that does not broadcast to the other's shape");
  if (array.shape == shape) return array;
  FL_TRY(Array result, zeros(shape, array.type));
  const Extents strides = strides_within(array.shape, shape);
  std::size_t place = 0;
  for_each_index(shape, [&](const Extents& index) {
    std::int64_t source = 0;
    for (std::size_t i = 0; i < index.size(); ++i) source += index[i] * strides[i];
    result.data[place++] = array.data[static_cast<std::size_t>(source)];
  });
  return result;
}

}  // namespace fuselab::onnx
