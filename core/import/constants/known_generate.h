// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/import/constants/generated_numbers.h"

namespace fuselab::onnx {

// Tensors that operators make of few numbers. Each function returns nothing where they are not understood.

// A range made of `start`, `limit` and `delta`, numbers of one type. Its numbers are there unless the extent is a symbol.
struct RangeOfNumbers {
  Dim extent = 0;
  std::optional<GeneratedNumbers> numbers;
};
// Returns nothing when one of them is no plain number, or delta is 0.
std::optional<RangeOfNumbers> generate_range(const KnownTensor& start, const KnownTensor& limit, const KnownTensor& delta);
// Returns ones on the diagonal that lies `offset` above the main one.
GeneratedNumbers generate_eye(DType dtype, std::int64_t rows, std::int64_t columns, std::int64_t offset);
// `values` holds the value elsewhere and the value at the index. A negative index counts from `depth`; one out of range sets
// nothing. Returns nothing, too, where the tensor is too large to be known.
std::optional<KnownTensor> generate_one_hot(const KnownTensor& indices, std::int64_t depth, const KnownTensor& values,
                                            std::int64_t axis);
// Generates the window of `op`: "HannWindow", "HammingWindow" or "BlackmanWindow". Requires a size of at least 0.
GeneratedNumbers generate_signal_window(const std::string& op, DType dtype, std::int64_t size, bool periodic);

}  // namespace fuselab::onnx
