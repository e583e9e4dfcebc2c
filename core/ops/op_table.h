// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>

#include "core/ops/op.h"

namespace fuselab {

// Returns how many operators lie in runs of Op, each given by its first operator and the one behind its last.
template <Op... Bounds>
constexpr std::size_t operators_in() {
  const Op bounds[] = {Bounds...};
  std::size_t count = 0;
  for (std::size_t i = 0; i < sizeof...(Bounds); i += 2)
    count += static_cast<std::size_t>(bounds[i + 1]) - static_cast<std::size_t>(bounds[i]);
  return count;
}

// The rows of one family of operators. `Bounds` names its runs of Op, each by its first operator and the one behind its last; that
// one belongs to another family, so that a new operator changes no bound. A Row has a member `op`. The compiler refuses rows in
// another order than Op, and one that is missing.
template <typename Row, Op... Bounds>
struct OpFamily {
  static constexpr std::size_t kCount = operators_in<Bounds...>();

  constexpr explicit OpFamily(const Row (&given)[kCount]) {
    std::size_t next = 0;
    for_each([&](Op op) {
      if (given[next].op != op) throw "each operator of the family has one row, in the order of Op";
      rows[next] = given[next];
      ++next;
    });
  }

  template <typename Visit>
  static constexpr void for_each(Visit visit) {
    const Op bounds[] = {Bounds...};
    for (std::size_t i = 0; i < sizeof...(Bounds); i += 2) {
      for (auto op = static_cast<int>(bounds[i]); op < static_cast<int>(bounds[i + 1]); ++op) visit(static_cast<Op>(op));
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
    Family::for_each([&](Op op) {
      const Row*& place = rows_[static_cast<std::size_t>(op)];
      if (place != nullptr) throw "an operator belongs to two families";
      place = row++;
    });
  }

  std::array<const Row*, static_cast<std::size_t>(kEndOfOps)> rows_ = {};
};

}  // namespace fuselab
