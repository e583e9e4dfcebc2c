// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/reference/operators/operator_row.h"

// Element-wise rules applied to whole tensors; private to core/reference.
namespace fuselab::reference {

// Returns true when an operand's error is as large as its magnitude, so that a derivative says nothing.
inline bool uncertain(Bounded x) {
  return x.e > 0 && x.e * kUnit >= std::fabs(x.v);
}

// Returns the error of a result that may really be another one at this distance.
inline double may_differ_by(double distance) {
  return std::fabs(distance) / kUnit;
}

template <typename Rule>
Status map_one(const NodeCall& call, bool rounds, Rule rule) {
  const Rounding rounding = rounding_of(call.output.dtype);
  call.needed.for_each(call.output.count(), [&](std::int64_t i) {
    const Bounded result = rule(call.operand(0, i));
    rounds ? call.put(rounding, i, result) : call.put_copy(i, result);
  });
  return {};
}

template <typename Rule>
Status map_two(const NodeCall& call, Rule rule) {
  const Rounding rounding = rounding_of(call.output.dtype);
  const BroadcastIndex a(call.output.extents, call.input(0).extents);
  const BroadcastIndex b(call.output.extents, call.input(1).extents);
  call.needed.for_each(call.output.count(),
                       [&](std::int64_t i) { call.put(rounding, i, rule(call.operand(0, a(i)), call.operand(1, b(i)))); });
  return {};
}

// The error of one operation's rounding in the output's type.
inline double rounding_error(const NodeCall& call) {
  return rounding_of(call.output.dtype).accumulate;
}

}  // namespace fuselab::reference
