// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/graph/graph.h"

namespace fuselab {

// The numbers of one tensor as its dtype keeps them: row-major, little-endian.
struct PackedTensor {
  TensorType type;  // concrete
  std::vector<std::byte> bytes;
};

// The values of one tensor as float64, row-major, as the reference uses them. Integers are exact up to 2^53.
struct RealTensor {
  TensorType type;  // concrete
  std::vector<double> data;
};

// Returns where a number of a concrete tensor is, by its index in row-major order: "[3,17]".
std::string position_text(const Shape& shape, std::int64_t flat);

// Convert between float64 and packed bytes of the dtype, rounding to nearest even; integers saturate.
std::vector<std::byte> pack(const RealTensor& tensor);
Result<RealTensor> unpack(const TensorType& type, std::span<const std::byte> bytes);
// Rounds to the dtype and back, so that the reference sees exactly what a kernel sees.
void round_to_dtype(RealTensor& tensor);

// The pattern of values that inputs hold. Its text is part of the metric identity.
enum class InputPattern {
  kUniform,   // dtype-dependent range around 0, weights scaled by 1/sqrt(fan-in)
  kLarge,     // magnitudes up to 1e4: overflow in exp, cancellation in sums
  kSpecial,   // seeded sprinkling of ±Inf, NaN, -0
  kDenormal,  // seeded sprinkling of denormals
};
std::string_view name_of(InputPattern pattern);

struct InputSpec {
  InputPattern pattern = InputPattern::kUniform;
  std::uint64_t seed = 1;
  bool operator==(const InputSpec&) const = default;
};

// Returns the inputs of a concrete graph, in order; the same on every machine. Indices (Gather, labels) stay in range; variances
// and other operands that must be positive are positive.
std::vector<RealTensor> make_inputs(const Graph& graph, const InputSpec& spec);

}  // namespace fuselab
