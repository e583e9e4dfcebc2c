// SPDX-License-Identifier: Apache-2.0
#include "core/import/constants/known_generate.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace fuselab::onnx {
namespace {

constexpr auto kMost = static_cast<std::int64_t>(KnownTensor::kMaxElements);

std::optional<RangeOfNumbers> range_of_reals(DType dtype, double start, double limit, double delta) {
  if (!std::isfinite(start) || !std::isfinite(limit) || !std::isfinite(delta) || delta == 0) return std::nullopt;
  const double count = std::max(0.0, std::ceil((limit - start) / delta));
  if (!(count < 0x1.0p53)) return std::nullopt;
  const auto extent = static_cast<std::int64_t>(count);
  const GeneratedNumbers::Real number = [=](std::int64_t place) { return start + static_cast<double>(place) * delta; };
  return RangeOfNumbers{extent, GeneratedNumbers(dtype, {extent}, number)};
}

std::optional<RangeOfNumbers> range_of_integers(DType dtype, std::int64_t start, std::int64_t limit, std::int64_t delta) {
  std::int64_t span = 0;
  if (delta == 0 || delta == INT64_MIN || __builtin_sub_overflow(limit, start, &span)) return std::nullopt;
  const bool forward = delta > 0;
  const bool empty = forward ? span <= 0 : span >= 0;
  const std::int64_t count = empty ? 0 : span / delta + (span % delta != 0 ? 1 : 0);
  const GeneratedNumbers::Whole number = [=](std::int64_t place) { return start + place * delta; };
  return RangeOfNumbers{count, GeneratedNumbers(dtype, {count}, number)};
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

GeneratedNumbers generate_eye(DType dtype, std::int64_t rows, std::int64_t columns, std::int64_t offset) {
  const GeneratedNumbers::Whole number = [=](std::int64_t place) { return place % columns - place / columns == offset ? 1 : 0; };
  return GeneratedNumbers(dtype, {rows, columns}, number);
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

GeneratedNumbers generate_signal_window(const std::string& op, DType dtype, std::int64_t size, bool periodic) {
  const auto steps = static_cast<double>(periodic ? size : size - 1);
  const GeneratedNumbers::Real number = [=](std::int64_t place) {
    const double turn = 2 * std::numbers::pi * static_cast<double>(place) / steps;
    if (op == "HannWindow") return 0.5 - 0.5 * std::cos(turn);
    if (op == "HammingWindow") return (25 - 21 * std::cos(turn)) / 46;
    return 0.42 - 0.5 * std::cos(turn) + 0.08 * std::cos(2 * turn);
  };
  return GeneratedNumbers(dtype, {size}, number);
}

}  // namespace fuselab::onnx
