// SPDX-License-Identifier: Apache-2.0
#include "core/import/constants/generated_numbers.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "core/tensor/tensor.h"

namespace fuselab::onnx {

std::int64_t GeneratedNumbers::count() const {
  const auto count = element_count(type().shape);
  return count.ok() ? count.value() : 0;
}

TensorType GeneratedNumbers::type() const {
  return {dtype_, Shape(shape_.begin(), shape_.end())};
}

std::optional<KnownTensor> GeneratedNumbers::known() const {
  const std::int64_t all = count();
  if (all > static_cast<std::int64_t>(KnownTensor::kMaxElements)) return std::nullopt;
  KnownTensor numbers{whole_ ? DType::kI64 : DType::kF64, shape_, {}, {}};
  for (std::int64_t place = 0; place < all; ++place) {
    if (whole_) numbers.integers.emplace_back(whole_(place));
    if (real_) numbers.reals.push_back(real_(place));
  }
  return fold_cast(numbers, dtype_);
}

std::vector<std::byte> GeneratedNumbers::bytes() const {
  constexpr std::int64_t kAtOnce = 1 << 14;  // even, since of 4-bit types two share a byte
  const std::int64_t all = count();
  std::vector<std::byte> bytes;
  bytes.reserve(static_cast<std::size_t>(packed_size(dtype_, all).count));
  const bool exact = whole_ && bits_of(dtype_) == 64 && !is_floating(dtype_);
  RealTensor some{{dtype_, {}}, {}};
  for (std::int64_t begin = 0; begin < all; begin += kAtOnce) {
    const std::int64_t end = std::min(all, begin + kAtOnce);
    some.data.clear();
    for (std::int64_t place = begin; place < end; ++place) {
      if (exact) {  // a double would round what lies beyond 2^53
        const std::int64_t number = whole_(place);
        const auto* const first = reinterpret_cast<const std::byte*>(&number);
        bytes.insert(bytes.end(), first, first + sizeof number);
      } else {
        const double number = whole_ ? static_cast<double>(wrapped(dtype_, whole_(place))) : real_(place);
        some.data.push_back(is_floating(dtype_) ? number : std::trunc(number));
      }
    }
    const std::vector<std::byte> packed = pack(some);
    bytes.insert(bytes.end(), packed.begin(), packed.end());
  }
  return bytes;
}

}  // namespace fuselab::onnx
