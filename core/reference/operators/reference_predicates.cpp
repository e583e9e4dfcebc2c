// SPDX-License-Identifier: Apache-2.0
#include <optional>

#include "core/reference/operators/reference_maps.h"
#include "core/tensor/small_float.h"

// An answer that the operands' errors may turn is kept with an error of one: a kernel may give either. All others are exact.
namespace fuselab::reference {
namespace {

// The distance over which a comparison may tip. Infinities compare as they are: nothing finite comes near.
bool may_tip(Bounded a, Bounded b) {
  const double error = a.e + b.e;
  return !(error <= 0) && !(std::fabs(a.v - b.v) > error * kUnit);
}

template <typename Compare>
void compare(const NodeCall& call, Compare holds) {
  map_two(call, [holds](Bounded a, Bounded b) {
    return Bounded{holds(a.v, b.v) ? 1.0 : 0.0, may_tip(a, b) ? may_differ_by(1) : 0.0};
  });
}

// `settles`: an operand of this value alone decides, however uncertain the other one is.
template <typename Join>
void join(const NodeCall& call, std::optional<bool> is_final, Join joined) {
  map_two(call, [=](Bounded a, Bounded b) {
    const auto decides = [&](Bounded x) { return is_final && x.e == 0 && (x.v != 0) == *is_final; };
    const double error = decides(a) || decides(b) ? 0.0 : std::max(a.e, b.e);
    return Bounded{joined(a.v != 0, b.v != 0) ? 1.0 : 0.0, error};
  });
}

// Returns whether a kernel may have overflowed where the reference has a number.
bool may_overflow(Bounded x, double largest) {
  return x.e > 0 && !(std::fabs(x.v) + x.e * kUnit <= largest);
}

void is_infinite(const NodeCall& call) {
  const bool negative = call.node.attributes.integer("detect_negative", 1) != 0;
  const bool positive = call.node.attributes.integer("detect_positive", 1) != 0;
  map_one(call, false, [=, largest = detail::largest_of(call.input(0).dtype)](Bounded x) {
    const bool found = std::isinf(x.v) && (x.v > 0 ? positive : negative);
    return Bounded{found ? 1.0 : 0.0, may_overflow(x, largest) ? may_differ_by(1) : 0.0};
  });
}

void is_nan(const NodeCall& call) {
  map_one(call, false, [largest = detail::largest_of(call.input(0).dtype)](Bounded x) {
    return Bounded{std::isnan(x.v) ? 1.0 : 0.0, may_overflow(x, largest) ? may_differ_by(1) : 0.0};
  });
}

}  // namespace

void evaluate_predicate(const NodeCall& call) {
  switch (call.node.op) {
    case Op::kEqual: return compare(call, [](double a, double b) { return a == b; });
    case Op::kLess: return compare(call, [](double a, double b) { return a < b; });
    case Op::kGreater: return compare(call, [](double a, double b) { return a > b; });
    case Op::kLessOrEqual: return compare(call, [](double a, double b) { return a <= b; });
    case Op::kGreaterOrEqual: return compare(call, [](double a, double b) { return a >= b; });
    case Op::kAnd: return join(call, false, [](bool a, bool b) { return a && b; });
    case Op::kOr: return join(call, true, [](bool a, bool b) { return a || b; });
    case Op::kXor: return join(call, std::nullopt, [](bool a, bool b) { return a != b; });
    case Op::kNot: return map_one(call, false, [](Bounded x) { return Bounded{x.v != 0 ? 0.0 : 1.0, x.e}; });
    case Op::kIsNaN: return is_nan(call);
    case Op::kIsInf: return is_infinite(call);
    default: FL_ASSERT(false);
  }
}

}  // namespace fuselab::reference
