// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "app/engine/execute/given/given_tensors.h"
#include "core/reference/reference.h"
#include "core/tensor/tensor.h"

namespace fuselab::engine {

// The outcome of comparing one output with the numbers that were given for it.
struct Expectation {
  std::string output, file;
  int run = 0;                                     // counted from 1; 0: the runs do not differ
  double largest_error = 0, largest_expected = 0;  // absolute
  double worst_ratio = 0;                          // the largest error as a multiple of what is tolerated there
  std::int64_t numbers = 0, differ = 0;            // of the output; those whose error is not tolerated
  // The place of the largest error as a multiple of what is tolerated there: "[3,17]"; empty: every number is the same.
  std::string worst_at = {};
  double worst_found = 0, worst_expected = 0, worst_tolerated = 0;
  bool met() const { return worst_ratio <= 1; }
};

// Compares the outputs of one run of several with what another program computed. NaN must be NaN, and integers the same, unless
// `rule` says otherwise. By default an error may be as large as the least of two: what another order of the sums and other
// polynomials leave beside the output's largest number, by the shortest type on the way to it; and, where `bounds` has the number,
// twice the error bound of verification, plus a floor. So a small row that is lost among large ones is found. With `rule` its
// tolerance is used alone. `bounds`: of the outputs, of this run's inputs; may be empty. `run` is counted from 0; what is expected
// once is so of the last. Fails with kInvalidArgument where a quantised output's step cannot be seen: where all expected numbers
// are the same.
Result<std::vector<Expectation>> compare_expected(const Graph& graph, const GivenNumbers& numbers,
                                                  const std::vector<RealTensor>& outputs, std::span<const ExpectedOutput> bounds,
                                                  const ExpectRule& rule, int run, int runs);

// Returns whether the error bounds of a graph's outputs are computed for a comparison: not where that takes long.
bool has_bounds(const Graph& graph);

}  // namespace fuselab::engine
