// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdlib>

namespace fuselab::fields {

struct AnyValue {
  template <typename Value>
  operator Value() const {  // NOLINT(google-explicit-constructor): never called, only asked about
    std::abort();
  }
};

// Returns the number of fields of an aggregate: the most values that initialise it.
template <typename Aggregate, typename... Values>
consteval std::size_t field_count(Values... values) {
  if constexpr (requires { Aggregate{values..., AnyValue{}}; }) {
    return field_count<Aggregate>(values..., AnyValue{});
  } else {
    return sizeof...(Values);
  }
}

}  // namespace fuselab::fields
