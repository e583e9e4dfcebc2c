// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/import/constants/known_tensor.h"

namespace fuselab::onnx {

// Tensors that operators make of few numbers; none when they are too large to be known, or not understood.

// Of `start`, `limit` and `delta`, numbers of one type. `extent`: how many there are, also when they are too many.
struct RangeOfNumbers {
  Dim extent = 0;
  std::optional<KnownTensor> numbers;
};
// None when one of them is no plain number, or delta is 0.
std::optional<RangeOfNumbers> generate_range(const KnownTensor& start, const KnownTensor& limit, const KnownTensor& delta);
// Ones on the diagonal that lies `offset` above the main one.
std::optional<KnownTensor> generate_eye(DType dtype, std::int64_t rows, std::int64_t columns, std::int64_t offset);
// `values`: what is elsewhere, and what is at the index. An index below 0 counts from `depth`; one outside is nowhere.
std::optional<KnownTensor> generate_one_hot(const KnownTensor& indices, std::int64_t depth, const KnownTensor& values,
                                            std::int64_t axis);
// "HannWindow", "HammingWindow" or "BlackmanWindow".
std::optional<KnownTensor> generate_signal_window(const std::string& op, DType dtype, std::int64_t size, bool periodic);

}  // namespace fuselab::onnx
