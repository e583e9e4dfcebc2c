// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace fuselab::triton {

// The axes of a block of numbers along which a text's value changes: 1 rows, 2 columns.
using Axes = unsigned;
inline constexpr Axes kRows = 1, kColumns = 2;

// An index of one axis of a tensor as Python text: base // divisor % modulus. It keeps how it was made, so that what is taken apart
// and joined again is the same index, and its text stays short.
struct Index {
  struct Joined;

  std::string base = "0";
  Axes axes = 0;
  std::int64_t divisor = 1;
  std::int64_t modulus = 0;  // 0: it is smaller than its axis as it is
  std::shared_ptr<const Joined> joined = {};

  std::string text() const;
  bool operator==(const Index& other) const;
};
struct Index::Joined {
  Index outer;
  std::int64_t extent = 1;
  Index inner;
};

// One index per axis of a tensor.
using Place = std::vector<Index>;
using Extents = std::vector<std::int64_t>;

// Returns the index that a variable of the text holds.
Index index_named(std::string variable, Axes axes);

Index constant(std::int64_t value);
Index plus(const Index& index, std::int64_t offset);
Index plus(const Index& a, const Index& b);
Index times(const Index& index, std::int64_t factor);
// Returns outer · extent + inner.
Index joined(const Index& outer, std::int64_t extent, const Index& inner);
// Returns (index / extent, index % extent).
std::pair<Index, Index> split(const Index& index, std::int64_t extent);

// These go between a dense tensor's places and its elements' numbers.
Index flat(const Place& place, const Extents& extents);
Place unflattened(const Index& index, const Extents& extents);
// Returns the same element's place in another shape of as many elements.
Place reshaped(const Place& place, const Extents& from, const Extents& to);

}  // namespace fuselab::triton
