// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "core/import/constants/known_tensor.h"

namespace fuselab::onnx {

// The numbers of a constant tensor that the file describes without writing them out, as functions of their flat places. Few of them
// are known while importing; any count is made where weights are read.
class GeneratedNumbers {
 public:
  using Whole = std::function<std::int64_t(std::int64_t place)>;
  using Real = std::function<double(std::int64_t place)>;

  // A function keeps what it needs by value. A number is kept as `dtype` keeps it: wrapped, or rounded to nearest even.
  GeneratedNumbers(DType dtype, std::vector<std::int64_t> shape, Whole whole)
      : dtype_(dtype), shape_(std::move(shape)), whole_(std::move(whole)) {}
  GeneratedNumbers(DType dtype, std::vector<std::int64_t> shape, Real real)
      : dtype_(dtype), shape_(std::move(shape)), real_(std::move(real)) {}

  // Requires concrete extents, none below 0.
  TensorType type() const;
  // Returns nothing where there are more than KnownTensor::kMaxElements, or of a type whose numbers are not known while importing.
  std::optional<KnownTensor> known() const;
  // Returns all of them, packed.
  std::vector<std::byte> bytes() const;

 private:
  std::int64_t count() const;

  DType dtype_;
  std::vector<std::int64_t> shape_;
  Whole whole_;  // one of the two is set
  Real real_;
};

}  // namespace fuselab::onnx
