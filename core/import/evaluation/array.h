// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "core/base/result.h"

namespace fuselab::onnx {

using Extents = std::vector<std::int64_t>;

// A tensor while a file is evaluated: its numbers in float64, row-major. Integers are exact up to 2^53.
struct Array {
  Extents shape;
  std::vector<double> data;
  std::int32_t type = 1;  // ONNX's number of the element type

  std::int64_t rank() const { return static_cast<std::int64_t>(shape.size()); }
  std::int64_t count() const { return static_cast<std::int64_t>(data.size()); }
  bool is_real() const { return type == 1 || type == 10 || type == 11 || (type >= 16 && type <= 20); }
};

// Returns the number of elements; fails where it is more than an evaluation may hold, or an extent is negative.
Result<std::int64_t> count_of(const Extents& shape);
// Returns an array of zeros.
Result<Array> zeros(Extents shape, std::int32_t type);

// Returns a number as an index: cut off, and kept within 64 bits.
std::int64_t whole(double number);
// Returns an axis counted from the front; fails where the tensor has none such.
Result<std::int64_t> axis_of(std::int64_t axis, std::int64_t rank);

// Returns the strides of a row-major tensor.
Extents strides_of(const Extents& shape);
// Returns the product of the extents from `first` up to `last`, exclusively.
std::int64_t product(const Extents& shape, std::int64_t first, std::int64_t last);

// Returns the shape of both together, by NumPy's rules.
Result<Extents> broadcast(const Extents& a, const Extents& b);
// Returns the array in a larger shape that its own broadcasts to.
Result<Array> expanded(const Array& array, const Extents& shape);
// Returns the strides with which a tensor of the shape `own` is read as one of the shape `whole`; 0 where it is repeated.
Extents strides_within(const Extents& own, const Extents& whole);

// Calls `visit` with each index of a shape, in row-major order.
void for_each_index(const Extents& shape, const std::function<void(const Extents& index)>& visit);

}  // namespace fuselab::onnx
