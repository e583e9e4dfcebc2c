// SPDX-License-Identifier: Apache-2.0
#include "core/extents/strides.h"

#include <algorithm>

namespace fuselab {

std::int64_t product_of(std::span<const std::int64_t> extents) {
  std::int64_t product = 1;
  for (const std::int64_t extent : extents) product *= extent;
  return product;
}

std::vector<std::int64_t> strides_of(std::span<const std::int64_t> extents) {
  std::vector<std::int64_t> strides(extents.size());
  std::int64_t stride = 1;
  for (std::size_t i = extents.size(); i-- > 0;) {
    strides[i] = stride;
    stride *= extents[i];
  }
  return strides;
}

std::vector<std::int64_t> broadcast_strides(std::span<const std::int64_t> extents, std::size_t rank) {
  const auto own = strides_of(extents);
  std::vector<std::int64_t> strides(rank, 0);
  for (std::size_t i = 0; i < extents.size(); ++i) {
    if (extents[i] != 1) strides[rank - extents.size() + i] = own[i];
  }
  return strides;
}

BroadcastIndex::BroadcastIndex(std::span<const std::int64_t> result, std::span<const std::int64_t> operand)
    : suffix_(product_of(operand)), extents_(result.begin(), result.end()), strides_(broadcast_strides(operand, result.size())) {
  const std::size_t missing = result.size() - operand.size();
  // Leading ones aside, an operand that matches the end of the result repeats as a whole.
  std::size_t first = 0;
  while (first < operand.size() && operand[first] == 1) ++first;
  const bool is_suffix = std::equal(operand.begin() + static_cast<std::ptrdiff_t>(first), operand.end(),
                                    result.begin() + static_cast<std::ptrdiff_t>(missing + first));
  if (suffix_ == product_of(result)) {
    kind_ = Kind::kSame;
  } else if (suffix_ == 1) {
    kind_ = Kind::kScalar;
  } else {
    kind_ = is_suffix ? Kind::kSuffix : Kind::kGeneral;
  }
}

std::int64_t BroadcastIndex::general(std::int64_t flat) const {
  std::int64_t index = 0;
  for (std::size_t i = extents_.size(); i-- > 0;) {
    index += flat % extents_[i] * strides_[i];
    flat /= extents_[i];
  }
  return index;
}

}  // namespace fuselab
