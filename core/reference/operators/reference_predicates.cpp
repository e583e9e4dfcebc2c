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
Status compare(const NodeCall& call, Compare holds) {
  return map_two(call, [holds](Bounded a, Bounded b) {
    return Bounded{holds(a.v, b.v) ? 1.0 : 0.0, may_tip(a, b) ? may_differ_by(1) : 0.0};
  });
}

// `settles`: an operand of this value alone decides, however uncertain the other one is.
template <typename Join>
Status join(const NodeCall& call, std::optional<bool> is_final, Join joined) {
  return map_two(call, [=](Bounded a, Bounded b) {
    const auto decides = [&](Bounded x) { return is_final && x.e == 0 && (x.v != 0) == *is_final; };
    const double error = decides(a) || decides(b) ? 0.0 : std::max(a.e, b.e);
    return Bounded{joined(a.v != 0, b.v != 0) ? 1.0 : 0.0, error};
  });
}

// Returns whether a kernel may have overflowed where the reference has a number.
bool may_overflow(Bounded x, double largest) {
  return x.e > 0 && !(std::fabs(x.v) + x.e * kUnit <= largest);
}

Status is_infinite(const NodeCall& call) {
  const bool negative = call.node.attributes.integer("detect_negative", 1) != 0;
  const bool positive = call.node.attributes.integer("detect_positive", 1) != 0;
  return map_one(call, false, [=, largest = detail::largest_of(call.input(0).dtype)](Bounded x) {
    const bool found = std::isinf(x.v) && (x.v > 0 ? positive : negative);
    return Bounded{found ? 1.0 : 0.0, may_overflow(x, largest) ? may_differ_by(1) : 0.0};
  });
}

Status is_nan(const NodeCall& call) {
  return map_one(call, false, [largest = detail::largest_of(call.input(0).dtype)](Bounded x) {
    return Bounded{std::isnan(x.v) ? 1.0 : 0.0, may_overflow(x, largest) ? may_differ_by(1) : 0.0};
  });
}

}  // namespace

constexpr Family<Op::kIsNaN, Op::kShrink, Op::kEqual, Op::kMod> kPredicates({
    each(Op::kIsNaN, is_nan),
    each(Op::kIsInf, is_infinite),
    each(Op::kEqual, [](const NodeCall& call) { return compare(call, [](double a, double b) { return a == b; }); }),
    each(Op::kLess, [](const NodeCall& call) { return compare(call, [](double a, double b) { return a < b; }); }),
    each(Op::kGreater, [](const NodeCall& call) { return compare(call, [](double a, double b) { return a > b; }); }),
    each(Op::kLessOrEqual, [](const NodeCall& call) { return compare(call, [](double a, double b) { return a <= b; }); }),
    each(Op::kGreaterOrEqual, [](const NodeCall& call) { return compare(call, [](double a, double b) { return a >= b; }); }),
    each(Op::kAnd, [](const NodeCall& call) { return join(call, false, [](bool a, bool b) { return a && b; }); }),
    each(Op::kOr, [](const NodeCall& call) { return join(call, true, [](bool a, bool b) { return a || b; }); }),
    each(Op::kXor, [](const NodeCall& call) { return join(call, std::nullopt, [](bool a, bool b) { return a != b; }); }),
    each(Op::kNot,
         [](const NodeCall& call) { return map_one(call, false, [](Bounded x) {
                                      return Bounded{x.v != 0 ? 0.0 : 1.0, x.e};
                                    }); }),
});

}  // namespace fuselab::reference
