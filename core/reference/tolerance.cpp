// SPDX-License-Identifier: Apache-2.0
#include "core/reference/tolerance.h"
#include "core/reference/own_reference.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include "core/reference/operators/reference_tensor.h"
#include "core/reference/special_inputs.h"
#include "core/tensor/small_float.h"

// This file bounds how far a kernel may be from the float64 reference.
//
// Model. A kernel computes fl(a ∘ b) = (a ∘ b)(1 + δ), |δ| ≤ u, with u the round-off of the type it computes in (f32 for the
// 16- and 8-bit types, f64 for f64), keeps what it stores in the tensor's type (round-off u_s), and may flush results below
// the smallest normal number η to zero. Its graph inputs are exact: the reference reads the very bytes that it reads.
//
// Per element, the reference carries beside each value y a first-order bound E(y) of the error of any such evaluation:
//   one operation        E(f(x…)) = Σ |∂f/∂x_i| · E(x_i) + (u + u_s)·|f| + η
//   transcendental       + 8u·|f|: 4 ulp, what the backends' polynomials and vendors' libraries state at worst
//   sum of n terms       E(Σx) = Σ E(x_i) + (1 + √n)·u·Σ|x_i|
//   dot product          + u·Σ|a_i·b_i| for the products
//   maximum              the largest E(x_i) of the terms that come within reach of it
// Depth needs no factor of its own: each operation of a chain adds its own rounding, and conditioning (a cancelling
// difference, the exponential of a large argument) acts through the derivatives.
//
// √n, not n: Higham and Mary (A New Approach to Probabilistic Rounding Error Analysis, SIAM J. Sci. Comput. 41(5), 2019,
// theorems 2.4 and 3.1) show for independent roundings of mean zero that a sum of n terms in any order is within
// λ·√n·u·Σ|x_i| with probability at least 1 − 2n·exp(−λ²/2) to first order. For terms of one sign, where the bound is nearly
// reached, the partial sums grow linearly and the error of a sequential sum has a standard deviation near √n·u·Σ|x|/3, so
// λ = 2 lies at six deviations; blocked, pairwise and vectorised sums lie far below. We put λ = kSafety and let the same
// factor cover what first order leaves out everywhere else. The worst case n·u would let a dropped column of 4,096 pass:
// a column is worth 1/n of the sum, and kSafety·√n·u stays below 1/n up to n = 40,000 in f32.
//
// A bound that is not finite says that an intermediate leaves the type's range, where a kernel has infinity and the
// reference a number: such an element cannot be judged.
namespace fuselab {
namespace {

constexpr double kSafety = 2;

double round_off_of(DType dtype) {
  return dtype == DType::kF64 ? 0x1p-53 : 0x1p-24;
}

std::string number_text(double value) {
  char text[32];
  const auto end = std::to_chars(text, text + sizeof text, value, std::chars_format::general, 9).ptr;
  return {text, end};
}

enum class Judgement { kGood, kBad, kUnjudged };

// A type without infinities saturates or makes NaN of them.
bool is_infinity_in(DType dtype, double expected, double actual) {
  if (actual == expected) return true;
  return dtype == DType::kF8E4M3 && (std::isnan(actual) || actual == std::copysign(detail::largest_of(dtype), expected));
}

struct Judge {
  DType dtype;
  Tolerance tolerance;
  Drawbacks stated = {};
  double largest_magnitude = 0;                           // of the output, where an error is relative to it
  double most = std::numeric_limits<double>::infinity();  // whatever the bound
  bool is_stated = false;                                 // by the user: relative to the expected number alone

  void by_user(Tolerance wanted) {
    tolerance = wanted;
    is_stated = true;
  }
  double limit(double expected, double magnitude) const {
    if (is_stated) magnitude = 0;
    return std::min(most, tolerance.absolute + tolerance.relative * std::max({std::fabs(expected), magnitude, largest_magnitude}));
  }
  Judgement operator()(double expected, double magnitude, double actual) const {
    // ONNX leaves open what a NaN or an infinity becomes as an integer, and so do processors.
    if (!is_floating(dtype) && !std::isfinite(expected)) return Judgement::kUnjudged;
    if (std::isnan(expected)) {
      if (stated.has(Drawback::kNanLoss)) return Judgement::kUnjudged;
      return std::isnan(actual) ? Judgement::kGood : Judgement::kBad;
    }
    if (std::isinf(expected)) return is_infinity_in(dtype, expected, actual) ? Judgement::kGood : Judgement::kBad;
    const double allowed = limit(expected, magnitude);
    if (!std::isfinite(allowed)) return Judgement::kUnjudged;
    if (std::isinf(actual)) {
      const bool near_overflow = std::fabs(expected) + allowed >= detail::largest_of(dtype) && (actual > 0) == (expected > 0);
      return near_overflow ? Judgement::kGood : Judgement::kBad;
    }
    return std::fabs(actual - expected) <= allowed ? Judgement::kGood : Judgement::kBad;  // false for NaN
  }
};

double largest_finite(const std::vector<double>& numbers) {
  double largest = 0;
  for (const double number : numbers) {
    if (std::isfinite(number)) largest = std::max(largest, std::fabs(number));
  }
  return largest;
}

bool is_deep(const Graph& graph) {
  const auto contracts = [](const Node& node) { return info_of(node.op).access == AccessPattern::kContraction; };
  return std::ranges::count_if(graph.nodes(), contracts) >= kDeepContractions;
}

// The most that an element of a deep graph's output may be away: anything, unless most of the bounds allow more than the largest of
// its values. Where only few do, they know why: a step of Round near its edge, an intermediate that leaves the type's range.
double most_in_deep(const ExpectedOutput& expected, const Judge& judge) {
  constexpr double kAnything = std::numeric_limits<double>::infinity();
  double largest = 0;
  for (const double value : expected.values) {
    if (std::isfinite(value)) largest = std::max(largest, std::fabs(value));
  }
  std::size_t empty = 0;
  for (std::size_t i = 0; i < expected.values.size(); ++i) {
    if (judge.limit(expected.values[i], expected.magnitude[i]) > largest) ++empty;
  }
  if (largest == 0 || 2 * empty <= expected.values.size()) return kAnything;
  constexpr double kRoundOffs = 32, kMostShare = 0.125;
  const double of_type = kRoundOffs * reference::rounding_of(expected.type.dtype).store * reference::kUnit;
  return std::clamp(of_type, kDeepShare, kMostShare) * largest;
}

// Adds one output's elements to the verification.
void compare_one(const Judge& judge, std::size_t output, const ExpectedOutput& expected, const RealTensor& actual,
                 Verification& found, double& error_sum) {
  for (std::size_t i = 0; i < expected.values.size(); ++i) {
    const std::size_t at = expected.positions.empty() ? i : static_cast<std::size_t>(expected.positions[i]);
    const double wanted = expected.values[i];
    const double got = actual.data[at];
    const Judgement judgement = judge(wanted, expected.magnitude[i], got);
    if (judgement == Judgement::kUnjudged) continue;
    ++found.checked;
    const double error = std::fabs(got - wanted);
    const double limit = judge.limit(wanted, expected.magnitude[i]);
    if (std::isfinite(error)) {
      found.max_error = std::max(found.max_error, error);
      error_sum += error;
      if (error > 0)
        found.worst_ratio = std::max(found.worst_ratio, limit > 0 ? error / limit : std::numeric_limits<double>::max());
    } else if (judgement == Judgement::kBad) {
      found.worst_ratio = std::numeric_limits<double>::max();
    }
    if (judgement == Judgement::kGood || !found.passed) continue;
    found.passed = false;
    found.detail = "output " + std::to_string(output) + " at " + position_text(expected.type.shape, static_cast<std::int64_t>(at)) +
                   ": " + number_text(got) + ", expected " + number_text(wanted) + " ± " + number_text(limit);
  }
}

// The tolerance that the user states, or the one of kernels that are compared with themselves.
Tolerance own_tolerance(const OwnReference& own, const ExpectedOutput& expected) {
  if (own.states_tolerance()) return {own.kernel.relative, own.kernel.absolute};
  return {0, own_default_tolerance(expected.type.dtype) * largest_finite(expected.magnitude)};
}

}  // namespace

Tolerance tolerance_for(const Graph& graph, ValueId output) {
  const DType dtype = graph.type(output).dtype;
  if (is_floating(dtype)) return {kSafety * round_off_of(dtype), detail::smallest_subnormal_of(dtype)};
  // Integers are exact, unless they were made from reals that may fall to either side of a step: the bound of each says so.
  const bool from_reals =
      std::any_of(graph.values().begin(), graph.values().end(), [](const Value& value) { return is_floating(value.type.dtype); });
  return {from_reals ? 0x1p-24 : 0.0, 0};
}

bool only_unjudged(const Verification& verification) {
  return !verification.passed && verification.worst_ratio <= 1;  // whatever was judged bad lies above
}

Verification compare_outputs(const Graph& graph, std::span<const ExpectedOutput> expected, std::span<const RealTensor> actual,
                             Drawbacks stated, InputPattern pattern) {
  const auto own = own_reference(graph);
  const OwnReference* const user = own.ok() && own.value() ? &*own.value() : nullptr;
  // A bound of an error is that of one order of the operators. The user's kernel may have another, so that what cancels in the
  // reference's order does not in its own: its error is judged beside the largest number that is expected.
  const bool by_largest = user != nullptr && user->graph && !user->states_tolerance();
  const Graph& judged = by_largest ? *user->graph : graph;
  Verification found;
  if (expected.size() != judged.outputs().size() || actual.size() != expected.size()) {
    found.detail = "the graph has " + std::to_string(judged.outputs().size()) + " outputs, got " + std::to_string(actual.size());
    return found;
  }
  found.passed = true;
  double error_sum = 0;
  const bool deep = pattern == InputPattern::kUniform && is_deep(judged);
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const ValueId output = judged.outputs()[i];
    const auto count = element_count(expected[i].type.shape);
    if (!count.ok() || static_cast<std::int64_t>(actual[i].data.size()) != count.value()) {
      found.passed = false;
      found.detail = "output " + std::to_string(i) + " has " + std::to_string(actual[i].data.size()) + " elements, expected " +
                     type_text(expected[i].type);
      return found;
    }
    const std::int64_t before = found.checked;
    Judge judge{expected[i].type.dtype, tolerance_for(judged, output), stated};
    if (by_largest && is_floating(judge.dtype)) judge.largest_magnitude = largest_finite(expected[i].values);
    if (user != nullptr && !by_largest) judge.by_user(own_tolerance(*user, expected[i]));
    if (has_wider_tolerance(stated)) {
      judge.tolerance.relative *= kWiderToleranceFactor;
      judge.largest_magnitude = largest_finite(expected[i].magnitude);
    }
    if (deep && is_floating(judge.dtype)) judge.most = most_in_deep(expected[i], judge);
    compare_one(judge, i, expected[i], actual[i], found, error_sum);
    if (found.checked == before && count.value() > 0 && found.passed) {
      found.passed = false;
      found.detail = "output " + std::to_string(i) +
                     ": none of its values could be judged: on the way to each the exact ones leave the range of " +
                     std::string(name_of(expected[i].type.dtype));
    }
  }
  if (found.checked > 0) found.mean_error = error_sum / static_cast<double>(found.checked);
  return found;
}

}  // namespace fuselab
