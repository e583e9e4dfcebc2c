// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "app/engine/execute/given/given_tensors.h"
#include "core/tensor/tensor.h"

namespace fuselab::engine {

// The outcome of holding one output against the numbers that were given for it.
struct Expectation {
  std::string output, file;
  int run = 0;                                     // counted from 1; 0: the runs do not differ
  double largest_error = 0, largest_expected = 0;  // absolute
  double worst_ratio = 0;                          // the largest error as a multiple of what is tolerated there
  bool met() const { return worst_ratio <= 1; }
};

// Holds the outputs of one run of several against what another program computed, which rounds elsewhere and approximates functions
// by its own polynomials: |actual − expected| ≤ tolerance · (|expected| + the largest |expected|) + 1e-6, with 1e-4 for f32 and f64
// and 1e-2 for shorter types. Integers and NaN must be the same. `run` is counted from 0; what is expected once is so of the last.
Result<std::vector<Expectation>> hold_against(const Graph& graph, const GivenNumbers& numbers,
                                              const std::vector<RealTensor>& outputs, int run, int runs);

}  // namespace fuselab::engine
