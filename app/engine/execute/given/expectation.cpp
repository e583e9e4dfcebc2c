// SPDX-License-Identifier: Apache-2.0
#include "app/engine/execute/given/expectation.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace fuselab::engine {
namespace {

// Sigmoids of ONNX Runtime's are off by 1.3e-7 where they are nearly 0.
constexpr double kAbsolute = 1e-6;

double tolerance_of(DType dtype) {
  return bits_of(dtype) >= 32 ? 1e-4 : 1e-2;
}

void hold(const RealTensor& expected, const RealTensor& actual, Expectation& outcome) {
  for (const double value : expected.data) {
    if (std::isfinite(value)) outcome.largest_expected = std::max(outcome.largest_expected, std::abs(value));
  }
  const DType dtype = expected.type.dtype;
  for (std::size_t k = 0; k < expected.data.size(); ++k) {
    const double wanted = expected.data[k], found = actual.data[k];
    if (wanted == found || (std::isnan(wanted) && std::isnan(found))) continue;
    const double error = std::abs(found - wanted);
    const double tolerated =
        is_floating(dtype) ? tolerance_of(dtype) * (std::abs(wanted) + outcome.largest_expected) + kAbsolute : 0;
    const bool comparable = std::isfinite(error) && tolerated > 0;
    if (std::isfinite(error)) outcome.largest_error = std::max(outcome.largest_error, error);
    outcome.worst_ratio = std::max(outcome.worst_ratio, comparable ? error / tolerated : std::numeric_limits<double>::max());
  }
}

}  // namespace

Result<std::vector<Expectation>> hold_against(const Graph& graph, const GivenNumbers& numbers,
                                              const std::vector<RealTensor>& outputs, int run, int runs) {
  std::vector<Expectation> held;
  for (std::size_t i = 0; i < graph.outputs().size(); ++i) {
    const std::string& name = graph.value(graph.outputs()[i]).name;
    const auto given = numbers.expect.find(name);
    if (given == numbers.expect.end() || (!given->second.for_each_run() && run + 1 != runs)) continue;
    FL_TRY(const RealTensor expected, unpack(graph.type(graph.outputs()[i]), given->second.of_run(run)));
    Expectation outcome{name, given->second.files};
    hold(expected, outputs[i], outcome);
    held.push_back(std::move(outcome));
  }
  return held;
}

}  // namespace fuselab::engine
