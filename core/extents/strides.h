// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace fuselab {

// Returns the number of elements that lie in these extents; 1 for none.
std::int64_t product_of(std::span<const std::int64_t> extents);
// Returns the element strides of a row-major tensor, also along axes of one element.
std::vector<std::int64_t> strides_of(std::span<const std::int64_t> extents);
// Returns the element strides of a row-major tensor as it is broadcast to a tensor of that rank, by numpy's rules: 0 along axes of
// one element and along those that it lacks.
std::vector<std::int64_t> broadcast_strides(std::span<const std::int64_t> extents, std::size_t rank);

// Maps the flat index of a result to the flat index of a broadcast operand.
class BroadcastIndex {
 public:
  BroadcastIndex(std::span<const std::int64_t> result, std::span<const std::int64_t> operand);
  std::int64_t operator()(std::int64_t flat) const {
    switch (kind_) {
      case Kind::kSame: return flat;
      case Kind::kScalar: return 0;
      case Kind::kSuffix: return flat % suffix_;
      case Kind::kGeneral: break;
    }
    return general(flat);
  }

 private:
  enum class Kind { kSame, kScalar, kSuffix, kGeneral };
  std::int64_t general(std::int64_t flat) const;

  Kind kind_ = Kind::kSame;
  std::int64_t suffix_ = 1;
  std::vector<std::int64_t> extents_;  // extents of the result
  std::vector<std::int64_t> strides_;  // strides of the operand
};

}  // namespace fuselab
