// SPDX-License-Identifier: Apache-2.0
#include "core/import/constants/known_generate.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace fuselab::onnx {
namespace {

constexpr auto kMost = static_cast<std::int64_t>(KnownTensor::kMaxElements);

// Reals as their type keeps them.
std::optional<KnownTensor> as_kept(DType dtype, std::vector<std::int64_t> shape, std::vector<double> reals) {
  return fold_cast(KnownTensor{DType::kF64, std::move(shape), {}, std::move(reals)}, dtype);
}

std::optional<RangeOfNumbers> range_of_reals(DType dtype, double start, double limit, double delta) {
  if (!std::isfinite(start) || !std::isfinite(limit) || !std::isfinite(delta) || delta == 0) return std::nullopt;
  const double count = std::max(0.0, std::ceil((limit - start) / delta));
  if (!(count < 0x1.0p53)) return std::nullopt;
  RangeOfNumbers range{static_cast<std::int64_t>(count), std::nullopt};
  if (range.extent.extent() > kMost) return range;
  std::vector<double> numbers;
  for (std::int64_t i = 0; i < range.extent.extent(); ++i) numbers.push_back(start + static_cast<double>(i) * delta);
  range.numbers = as_kept(dtype, {range.extent.extent()}, std::move(numbers));
  return range;
}

std::optional<RangeOfNumbers> range_of_integers(DType dtype, std::int64_t start, std::int64_t limit, std::int64_t delta) {
  std::int64_t span = 0;
  if (delta == 0 || delta == INT64_MIN || __builtin_sub_overflow(limit, start, &span)) return std::nullopt;
  const bool forward = delta > 0;
  const bool empty = forward ? span <= 0 : span >= 0;
  const std::int64_t count = empty ? 0 : span / delta + (span % delta != 0 ? 1 : 0);
  RangeOfNumbers range{count, std::nullopt};
  if (count > kMost) return range;
  range.numbers = KnownTensor{dtype, {count}, {}, {}};
  for (std::int64_t i = 0; i < count; ++i) range.numbers->integers.emplace_back(start + i * delta);
  return range;
}

template <typename T>
std::vector<T> one_hot_of(const std::vector<std::int64_t>& indices, std::int64_t depth, std::int64_t inner,
                          const std::vector<T>& values) {
  const auto outer = static_cast<std::int64_t>(indices.size()) / inner;
  std::vector<T> numbers;
  for (std::int64_t i = 0; i < outer; ++i) {
    for (std::int64_t place = 0; place < depth; ++place) {
      for (std::int64_t k = 0; k < inner; ++k) {
        const std::int64_t index = indices[static_cast<std::size_t>(i * inner + k)];
        numbers.push_back(values[index == place || index + depth == place ? 1 : 0]);
      }
    }
  }
  return numbers;
}

}  // namespace

std::optional<RangeOfNumbers> generate_range(const KnownTensor& start, const KnownTensor& limit, const KnownTensor& delta) {
  if (start.size() != 1 || limit.size() != 1 || delta.size() != 1) return std::nullopt;
  if (start.dtype != limit.dtype || start.dtype != delta.dtype) return std::nullopt;
  if (is_floating(start.dtype)) return range_of_reals(start.dtype, start.reals[0], limit.reals[0], delta.reals[0]);
  const Dim& end = limit.integers[0];
  // A range from 0 by 1 up to a symbol numbers positions.
  if (end.is_symbol() && start.integers[0] == Dim(0) && delta.integers[0] == Dim(1)) return RangeOfNumbers{end, std::nullopt};
  if (end.is_symbol() || start.integers[0].is_symbol() || delta.integers[0].is_symbol()) return std::nullopt;
  return range_of_integers(start.dtype, start.integers[0].extent(), end.extent(), delta.integers[0].extent());
}

std::optional<KnownTensor> generate_eye(DType dtype, std::int64_t rows, std::int64_t columns, std::int64_t offset) {
  if (rows < 0 || columns < 0 || rows > kMost || columns > kMost || rows * columns > kMost) return std::nullopt;
  std::vector<double> numbers;
  for (std::int64_t row = 0; row < rows; ++row) {
    for (std::int64_t column = 0; column < columns; ++column) numbers.push_back(column - row == offset ? 1.0 : 0.0);
  }
  return as_kept(dtype, {rows, columns}, std::move(numbers));
}

std::optional<KnownTensor> generate_one_hot(const KnownTensor& indices, std::int64_t depth, const KnownTensor& values,
                                            std::int64_t axis) {
  std::optional<std::vector<std::int64_t>> places;
  if (const auto whole = fold_cast(indices, DType::kI64)) places = whole->plain_integers();
  const auto rank = static_cast<std::int64_t>(indices.shape.size());
  if (axis < 0) axis += rank + 1;
  if (!places || places->empty() || values.size() != 2 || axis < 0 || axis > rank) return std::nullopt;
  if (depth < 1 || depth > kMost || depth * static_cast<std::int64_t>(places->size()) > kMost) return std::nullopt;
  KnownTensor result;
  result.dtype = values.dtype;
  result.shape = indices.shape;
  result.shape.insert(result.shape.begin() + axis, depth);
  std::int64_t inner = 1;
  for (std::int64_t i = axis; i < rank; ++i) inner *= indices.shape[static_cast<std::size_t>(i)];
  if (is_floating(values.dtype)) result.reals = one_hot_of(*places, depth, inner, values.reals);
  if (!is_floating(values.dtype)) result.integers = one_hot_of(*places, depth, inner, values.integers);
  return result;
}

std::optional<KnownTensor> generate_signal_window(const std::string& op, DType dtype, std::int64_t size, bool periodic) {
  if (size < 0 || size > kMost) return std::nullopt;
  const auto steps = static_cast<double>(periodic ? size : size - 1);
  std::vector<double> numbers;
  for (std::int64_t i = 0; i < size; ++i) {
    const double turn = 2 * std::numbers::pi * static_cast<double>(i) / steps;
    double number = 0.42 - 0.5 * std::cos(turn) + 0.08 * std::cos(2 * turn);
    if (op == "HannWindow") number = 0.5 - 0.5 * std::cos(turn);
    if (op == "HammingWindow") number = (25 - 21 * std::cos(turn)) / 46;
    numbers.push_back(number);
  }
  return as_kept(dtype, {size}, std::move(numbers));
}

}  // namespace fuselab::onnx
