// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/import/constants/known_tensor.h"

namespace fuselab::onnx {

// Tensors that operators make of few numbers. Each function returns nothing when the tensor is too large to be known, or not
// understood.

// A range made of `start`, `limit` and `delta`, numbers of one type. `extent` is the number of elements, also when there are too
// many to be known.
struct RangeOfNumbers {
  Dim extent = 0;
  std::optional<KnownTensor> numbers;
};
// Returns nothing when one of them is no plain number, or delta is 0.
std::optional<RangeOfNumbers> generate_range(const KnownTensor& start, const KnownTensor& limit, const KnownTensor& delta);
// Returns ones on the diagonal that lies `offset` above the main one.
std::optional<KnownTensor> generate_eye(DType dtype, std::int64_t rows, std::int64_t columns, std::int64_t offset);
// `values` holds the value elsewhere and the value at the index. A negative index counts from `depth`; one out of range sets
// nothing.
std::optional<KnownTensor> generate_one_hot(const KnownTensor& indices, std::int64_t depth, const KnownTensor& values,
                                            std::int64_t axis);
// Generates the window of `op`: "HannWindow", "HammingWindow" or "BlackmanWindow".
std::optional<KnownTensor> generate_signal_window(const std::string& op, DType dtype, std::int64_t size, bool periodic);

}  // namespace fuselab::onnx
