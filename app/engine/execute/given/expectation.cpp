// SPDX-License-Identifier: Apache-2.0
#include "app/engine/execute/given/expectation.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "core/cost/cost.h"
#include "core/reference/tolerance.h"

namespace fuselab::engine {
namespace {

// What two programs may differ by that compute the same in a type of so many bits: a share of the numbers, and a floor. Sigmoids of
// ONNX Runtime's are off by 1.3e-7 where they are nearly 0.
struct Leeway {
  int bits;
  double share, floor;
};
constexpr Leeway kLeeways[] = {{64, 1e-10, 1e-12}, {32, 1e-4, 1e-6}, {16, 1e-2, 1e-6}, {0, 1e-1, 1e-6}};

Leeway leeway_of(int bits) {
  return *std::find_if(std::begin(kLeeways), std::end(kLeeways), [bits](const Leeway& each) { return bits >= each.bits; });
}

// Returns the bits of the shortest floating type of all that the output is computed from.
int shortest_type(const Graph& graph, ValueId output) {
  int bits = 64;
  std::set<ValueId> seen{output};
  std::vector<ValueId> open{output};
  while (!open.empty()) {
    const Value& value = graph.value(open.back());
    open.pop_back();
    if (is_floating(value.type.dtype)) bits = std::min(bits, bits_of(value.type.dtype));
    if (!value.producer) continue;
    for (const ValueId input : graph.node(*value.producer).inputs) {
      if (seen.insert(input).second) open.push_back(input);
    }
  }
  return bits;
}

// A quantised tensor's numbers are multiples of its scale, so that its step is the least difference between two of them.
double step_of(const RealTensor& tensor) {
  if (!is_floating(tensor.type.dtype)) return 1;
  std::set<double> numbers;
  for (const double number : tensor.data) {
    if (std::isfinite(number)) numbers.insert(number);
  }
  double step = 0;
  for (auto it = numbers.begin(); it != numbers.end() && std::next(it) != numbers.end(); ++it) {
    const double gap = *std::next(it) - *it;
    if (step == 0 || gap < step) step = gap;
  }
  return step;
}

// What is tolerated of one number.
class Tolerated {
 public:
  Tolerated(const Graph& graph, ValueId output, const RealTensor& expected, const ExpectedOutput* bounds, const ExpectRule& rule)
      : is_real_(is_floating(expected.type.dtype)), rule_(rule), leeway_(leeway_of(shortest_type(graph, output))) {
    for (const double value : expected.data) {
      if (std::isfinite(value)) largest_ = std::max(largest_, std::abs(value));
    }
    // Half a step more than so many: what is on neither side of a rounding is one of another.
    if (rule.steps > 0) steps_ = (static_cast<double>(rule.steps) + 0.5) * step_of(expected);
    if (bounds == nullptr || rule.is_given()) return;
    const Tolerance unit = tolerance_for(graph, output);
    bounds_.assign(expected.data.size(), std::numeric_limits<double>::infinity());
    for (std::size_t i = 0; i < bounds->magnitude.size(); ++i) {
      const std::size_t at = bounds->positions.empty() ? i : static_cast<std::size_t>(bounds->positions[i]);
      if (at < bounds_.size()) bounds_[at] = unit.absolute + unit.relative * bounds->magnitude[i];
    }
  }

  double largest() const { return largest_; }
  double of(std::size_t at, double expected) const {
    const double size = std::abs(expected);
    double tolerated = steps_;
    if (rule_.relative) tolerated = std::max(tolerated, *rule_.relative * size + rule_.absolute);
    if (rule_.is_given() || !is_real_) return tolerated;
    tolerated = leeway_.share * (size + largest_) + leeway_.floor;
    constexpr double kPrograms = 2;  // both are away from the exact number
    return bounds_.empty() ? tolerated : std::min(tolerated, kPrograms * bounds_[at] + leeway_.floor);
  }

 private:
  bool is_real_;
  const ExpectRule& rule_;
  Leeway leeway_;
  double largest_ = 0, steps_ = 0;
  std::vector<double> bounds_;  // of each number; empty: none is known
};

void compare(const RealTensor& expected, const RealTensor& actual, const Tolerated& tolerated, Expectation& outcome) {
  outcome.largest_expected = tolerated.largest();
  outcome.numbers = static_cast<std::int64_t>(expected.data.size());
  for (std::size_t k = 0; k < expected.data.size(); ++k) {
    const double wanted = expected.data[k], found = actual.data[k];
    if (wanted == found || (std::isnan(wanted) && std::isnan(found))) continue;
    const double error = std::abs(found - wanted), most = tolerated.of(k, wanted);
    const bool comparable = std::isfinite(error) && most > 0;
    const double ratio = comparable ? error / most : std::numeric_limits<double>::max();
    if (std::isfinite(error)) outcome.largest_error = std::max(outcome.largest_error, error);
    if (ratio > 1) ++outcome.differ;
    if (ratio <= outcome.worst_ratio) continue;
    outcome.worst_ratio = ratio;
    outcome.worst_at = position_text(expected.type.shape, static_cast<std::int64_t>(k));
    outcome.worst_found = found;
    outcome.worst_expected = wanted;
    outcome.worst_tolerated = most;
  }
}

}  // namespace

Result<std::vector<Expectation>> compare_expected(const Graph& graph, const GivenNumbers& numbers,
                                                  const std::vector<RealTensor>& outputs, std::span<const ExpectedOutput> bounds,
                                                  const ExpectRule& rule, int run, int runs) {
  std::vector<Expectation> compared;
  for (std::size_t i = 0; i < graph.outputs().size(); ++i) {
    const ValueId output = graph.outputs()[i];
    const std::string& name = graph.value(output).name;
    const auto given = numbers.expect.find(name);
    if (given == numbers.expect.end() || (!given->second.for_each_run() && run + 1 != runs)) continue;
    FL_TRY(const RealTensor expected, unpack(graph.type(output), given->second.of_run(run)));
    if (rule.steps > 0 && step_of(expected) == 0)
      return invalid_argument("--steps: the step of '" + name +
                              "' cannot be seen, since all its expected numbers are the same; use --tolerance");
    const Tolerated tolerated(graph, output, expected, bounds.empty() ? nullptr : &bounds[i], rule);
    Expectation outcome{name, given->second.files};
    compare(expected, outputs[i], tolerated, outcome);
    compared.push_back(std::move(outcome));
  }
  return compared;
}

bool has_bounds(const Graph& graph) {
  constexpr double kMostFlops = 20e9;  // about ten seconds
  const auto cost = cost_of(graph);
  return cost.ok() && cost.value().flops <= kMostFlops;
}

}  // namespace fuselab::engine
