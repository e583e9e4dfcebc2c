// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>

#include "core/ops/op.h"

namespace fuselab {

// The rows of one family of operators. `Bounds` names its runs of Op, each by its first operator and the one behind its last; that
// one belongs to another family, so that a new operator changes no bound. A Row has a member `op`. The compiler refuses rows in
// another order than Op, and one that is missing.
template <typename Row, Op... Bounds>
struct OpFamily {
  static constexpr Op kBounds[] = {Bounds...};
  static constexpr std::size_t kCount = [] {
    std::size_t count = 0;
    for (std::size_t i = 0; i < sizeof...(Bounds); i += 2)
      count += static_cast<std::size_t>(kBounds[i + 1]) - static_cast<std::size_t>(kBounds[i]);
    return count;
  }();

  constexpr explicit OpFamily(const Row (&given)[kCount]) {
    std::size_t next = 0;
    for (std::size_t i = 0; i < sizeof...(Bounds); i += 2) {
      for (auto op = static_cast<std::size_t>(kBounds[i]); op < static_cast<std::size_t>(kBounds[i + 1]); ++op, ++next) {
        if (static_cast<std::size_t>(given[next].op) != op) throw "each operator of the family has one row, in the order of Op";
        rows[next] = given[next];
      }
    }
  }

  Row rows[kCount] = {};
};

// The rows of all families by operator. As a constant it is checked by the compiler: each operator has one row.
template <typename Row>
class OpTable {
 public:
  template <typename... Families>
  constexpr explicit OpTable(const Families&... families) {
    (add(families), ...);
    for (const Row* row : rows_) {
      if (row == nullptr) throw "an operator belongs to no family";
    }
  }

  const Row& operator[](Op op) const { return *rows_[static_cast<std::size_t>(op)]; }

 private:
  template <typename Family>
  constexpr void add(const Family& family) {
    const Row* row = family.rows;
    for (std::size_t i = 0; i < std::size(Family::kBounds); i += 2) {
      for (auto op = static_cast<std::size_t>(Family::kBounds[i]); op < static_cast<std::size_t>(Family::kBounds[i + 1]); ++op) {
        if (rows_[op] != nullptr) throw "an operator belongs to two families";
        rows_[op] = row++;
      }
    }
  }

  std::array<const Row*, static_cast<std::size_t>(kEndOfOps)> rows_ = {};
};

}  // namespace fuselab
